/** Durations of a person's calls, some at a time. */
import { ARCHIVE } from './settings.mjs';
import { percentile } from './statistics.mjs';

export async function get(url, token, path) {
  const answer = await fetch(`${url}/api/v1${path}`, { headers: { 'x-access-token': token } });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

/** Returns the times (ms) of `count` calls in order, percentiles, and the length of the longest answer, uncompressed. */
export async function timed(url, token, path, count) {
  const all = [];
  let left = count;
  let bytes = 0;
  const client = async () => {
    while (left-- > 0) {
      const started = performance.now();
      const text = await get(url, token, path);
      all.push(performance.now() - started);
      bytes = Math.max(bytes, Buffer.byteLength(text));
    }
  };
  await Promise.all(Array.from({ length: ARCHIVE.connections }, client));
  return { all, p50: percentile(all, 0.5), p99: percentile(all, 0.99), bytes };
}
