/** The progress of a server with the reports, read from its metrics as an operator would. */
import { Agent, get } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const SAMPLES = {
  accepted: /^sentinel_ingestion_reports_total\{.*code="ACCEPTED".*\} (\S+)$/m,
  judged: /^sentinel_verifier_records_total\{.*\} (\S+)$/m,
  projected: /^sentinel_projector_records_total\{.*topic="sentinel\.chain\.v1".*\} (\S+)$/m,
  registered: /^sentinel_projector_records_total\{.*topic="sentinel\.registry\.v1".*\} (\S+)$/m,
};

/** Numbers of accepted, judged and projected reports, and of projected records of the registry, since the server began. */
export async function stagesOf(url) {
  const text = await textOf(`${url}/metrics`);
  const count = (sample) => Number(sample.exec(text)?.[1] ?? 0);
  return Object.fromEntries(Object.entries(SAMPLES).map(([name, sample]) => [name, count(sample)]));
}

function textOf(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => (text += part));
      answer.on('end', () => resolve(text));
      answer.on('error', reject);
    }).on('error', reject);
  });
}
