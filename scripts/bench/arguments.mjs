/** The command line of `npm run bench`. */

export const NAMES = [
  'ingest-single',
  'ingest-bulk',
  'pipeline',
  'growth',
  'notify',
  'query',
  'history',
  'export',
  'anchoring',
  'kafka-ingest',
  'kafka-pipeline',
  'agent',
  'storm',
  'stream',
  'soak',
  'overload',
  'readable',
  'rebuild',
  'console',
];

export const HELP = `npm run bench [-- NAME … OPTION …]      without a name: all

  ingest-single   reports sent one a request; ceiling: the same route doing nothing
  ingest-bulk     reports sent by the thousand; ceiling: the same lines parsed and checked, nothing else
  pipeline        reports accepted, judged, chained, projected, all durable, in one process
  growth          the pipeline at 10,000, 100,000 and a million files
  notify          100 alerts a second from the report to a webhook; the pipeline with rules; ceiling: without rules
  query           lists of 500,000 events and 20,000 alerts, the first page and one deep in the list;
                  the dashboard of 100 files and of 100,000
  history         the same lists over ten million events of a million files; ceiling: a read by key
  export          a million events as CSV, and the memory of the server that sends them
  anchoring       a batch of 100,000 leaves with its transaction and 1,000 proofs, receipts, the audit of 10,000
                  batches; ceiling: the hashes alone
  kafka-ingest    ingest-bulk on Kafka; ceiling: kafkajs sends the same records
  kafka-pipeline  one verifier, then two, on Kafka; ceiling: kafkajs reads and writes the same records

  agent           the agent: the first scan of 20,000 files; 10,000 followed files, and 200 rolled ones with their archives, idle;
                  ceiling of the scan: aide --init, or sha256sum, with two workers on the same files
  storm           2,000 simulated agents with 100 kept reports each that come back at once, in bulk and one a call
  stream          1,000 consoles of one organisation with their live streams open, and 100 events a second
  soak            half an hour at 70 % of the best rate; then kill -9 under load, and the start on what is left
  overload        three times the best rate for five minutes, and the time until all is as before; then as soak
  readable        how soon a report can be read at the rate of the pipeline's goal, and at a quarter of it
  rebuild         all views made anew from the log; ceiling: reading the log
  console         the console in a browser on an organisation that npm run seed makes (300 devices, 20,000 files, 100,000
                  alerts): paint, data, scrolling, the way of a report to its row

  --quick         short and small: shows that it runs; the figures mean nothing
  --json FILE     writes the figures as JSON too
  --data FOLDER   where data folders are made and removed; default: the system's folder for temporary files
  --seeded FOLDER console: the data folder of an organisation that npm run seed has made already
  --share N       agent, storm, console, soak, overload, readable: the N-th part of the files, seconds and agents, to have figures in a short time
  --help

docs/benchmarks.md says what each figure means.
`;

/** @returns {{help?: true, problem?: string, names: string[], quick: boolean, json?: string, data?: string, seeded?: string, share?: number}} */
export function parseArguments(args) {
  const options = { names: [], quick: false };
  const rest = [...args];
  while (rest.length > 0) {
    const arg = rest.shift();
    if (arg === '--help') return { ...options, help: true };
    if (arg === '--quick') options.quick = true;
    else if (arg === '--share') {
      const value = Number(rest.shift());
      if (!(value >= 1)) return { ...options, problem: '--share needs a number from 1 on' };
      options.share = value;
    } else if (arg === '--json' || arg === '--data' || arg === '--seeded') {
      const value = rest.shift();
      if (value === undefined || value.startsWith('--'))
        return { ...options, problem: `${arg} needs a value` };
      options[arg.slice(2)] = value;
    } else if (NAMES.includes(arg)) options.names.push(arg);
    else return { ...options, problem: `${arg} is no benchmark and no option; see npm run bench -- --help` };
  }
  return options.names.length > 0 ? options : { ...options, names: [...NAMES] };
}
