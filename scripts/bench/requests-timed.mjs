/** Durations of a person's calls, some at a time. */
import { Connection } from './connection.mjs';
import { ARCHIVE } from './settings.mjs';
import { percentile } from './statistics.mjs';

export async function get(url, token, path) {
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { 'x-access-token': token } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

/**
 * Returns the times (ms) of `count` calls in order, percentiles, and the length of an answer, uncompressed. The answers are
 * compressed, as those for a browser are.
 */
export async function timed(url, token, path, count) {
  const { host } = new URL(url);
  const request = Buffer.from(
    `GET /api/v1${path} HTTP/1.1\r\nhost: ${host}\r\nx-access-token: ${token}\r\naccept-encoding: gzip\r\n\r\n`,
  );
  const all = [];
  let left = count;
  let bytes = 0;
  const client = async () => {
    const connection = new Connection(new URL(url));
    let answer;
    while (left-- > 0) {
      const started = performance.now();
      answer = await connection.send(request);
      all.push(performance.now() - started);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    }
    if (answer !== undefined) bytes = Math.max(bytes, answer.decompressed().length);
    connection.close();
  };
  await Promise.all(Array.from({ length: ARCHIVE.connections }, client));
  return { all, p50: percentile(all, 0.5), p99: percentile(all, 0.99), bytes };
}
