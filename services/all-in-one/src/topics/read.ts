/** Implements `sentinel topics read`: prints records of a topic as JSON, from any encoding. */
import { decodeChainBody, decodeFileEvent, TOPICS, parseJsonBytes } from '@sentinel-node/contracts';
import { CLUSTER_TOPICS, decodeRegistryBody, type StoredRecord } from '@sentinel-node/platform';
import { operate, UsageError, wholeNumber } from '../operator/run.ts';

export interface ReadOptions {
  readonly data: string | undefined;
  readonly partition: string | undefined;
  readonly from: string | undefined;
  readonly limit: string | undefined;
}

const DEFAULT_LIMIT = '100';
const MAX_LIMIT = 1_000_000;
/** Prints a line of JSON for each record. @throws UsageError for a topic or partition that does not exist */
export async function readTopic(name: string | undefined, options: ReadOptions): Promise<number> {
  const topic = CLUSTER_TOPICS.find((one) => one.name === name && one.retention !== 'volatile');
  if (topic === undefined)
    throw new UsageError(
      `read takes a topic: ${CLUSTER_TOPICS.filter(({ retention }) => retention !== 'volatile')
        .map((one) => one.name)
        .join(', ')}`,
    );
  const limit = wholeNumber('limit', options.limit ?? DEFAULT_LIMIT, 1, MAX_LIMIT);
  const from = wholeNumber('from', options.from ?? '0', 0, Number.MAX_SAFE_INTEGER);
  const only =
    options.partition === undefined
      ? undefined
      : wholeNumber('partition', options.partition, 0, topic.partitions - 1);
  return operate({ command: 'topics', dataDir: options.data }, async ({ eventLog, writeLine }) => {
    let left = limit;
    let [there, more] = [0, 0];
    for (const { partition, start, end } of await eventLog.bounds(topic.name)) {
      if (only !== undefined && partition !== only) continue;
      const first = Math.max(from, start);
      const to = Math.min(end, first + left);
      there += end - start;
      more += Math.max(0, end - first - left);
      if (first >= to) continue;
      for await (const { records } of eventLog.read(topic.name, partition, first, to))
        for (const record of records) process.stdout.write(`${lineOf(topic.name, record)}\n`);
      left -= to - first;
    }
    // Standard output has the records alone.
    if (left === limit)
      writeLine(
        `no record: ${topic.name} has ${there} here${from > 0 ? `, and none from offset ${from} on` : ''}`,
      );
    else if (more > 0) writeLine(`${more} more: --limit and --from show them`);
    return 0;
  });
}

/** Returns a record as JSON, with unreadable bytes in base64 beside the reason. */
export function lineOf(topic: string, { partition, offset, key, id, body }: StoredRecord): string {
  const place = { partition, offset, key, id };
  try {
    return JSON.stringify({ ...place, ...contentOf(topic, body) });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return JSON.stringify({ ...place, problem, bytes: Buffer.from(body).toString('base64') });
  }
}

function contentOf(topic: string, body: Uint8Array): object {
  if (topic === TOPICS.chain) return { record: decodeChainBody(body) };
  if (topic === TOPICS.registry) return { record: decodeRegistryBody(body) };
  if (topic !== TOPICS.fileEvents) return { record: parseJsonBytes(body) };
  const { header, report } = decodeFileEvent(body);
  return { record: header, ...(report.length === 0 ? {} : { report: Buffer.from(report).toString() }) };
}
