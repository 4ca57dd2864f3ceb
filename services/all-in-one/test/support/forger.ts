/** An operator who forges a backup: all its data follow from another event, except the anchored data. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Test } from 'tap';
import { createChainVerifier } from '@sentinel-node/chain-verifier';
import {
  batchHeaderHash,
  CompactRange,
  decodeChainBody,
  decodeBatchHeader,
  encodeBatchHeader,
  fromHex,
  GROUPS,
  leafData,
  leafHash,
  mapKey,
  merkleRoot,
  sortLeaves,
  toHex,
  TOPICS,
  type AnchorRecord,
  type BackupManifest,
  type BackupRecord,
  type ChainRecord,
  type Cut,
} from '@sentinel-node/contracts';
import {
  EMBEDDED_TOPICS,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  silentLog,
} from '@sentinel-node/platform';
import { lineOf, recordOf } from '../../src/backup/log-records.ts';
import { temporaryFolder } from './folder.ts';
import { until } from './until.ts';
import { manifestIn, writeUnsigned } from './backup-folder.ts';

interface Line {
  readonly offset: number;
  readonly key: string;
  readonly id: string;
  readonly text: string;
}
/** Returns the record with another hash, as text or as bytes. */
function replaced(line: BackupRecord, before: string, after: string): BackupRecord {
  if (line.text !== undefined) return { ...line, text: line.text.replaceAll(before, after) };
  const hexOf = (text: string) => Buffer.from(text).toString('hex');
  const hex = Buffer.from(line.bytes!, 'base64').toString('hex');
  const changed = hex.replaceAll(before, after).replaceAll(hexOf(before), hexOf(after));
  return { ...line, bytes: Buffer.from(changed, 'hex').toString('base64') };
}

type Document = Record<string, unknown> & { readonly id: string };
interface CutLike extends Document {
  readonly cut: Cut;
  readonly log: { readonly size: number; readonly peaks: readonly string[]; readonly headerHash: string };
}

export class Forger {
  readonly #t: Test;
  readonly #folder: string;
  readonly #logId: Uint8Array;

  /** @param folder of a backup, which is changed in place */
  constructor(t: Test, folder: string, logId: Uint8Array) {
    this.#t = t;
    this.#folder = folder;
    this.#logId = logId;
  }

  /**
   * Replaces a content hash in every report and recomputes all that follows. @returns the first changed batch
   */
  async rewrite(before: string, after: string): Promise<number> {
    for (const file of this.#files(TOPICS.fileEvents))
      this.#write(
        file,
        this.#lines<BackupRecord>(file).map((line) => replaced(line, before, after)),
      );
    await this.#judgeAgain();
    return this.#cutAgain();
  }

  /**
   * Removes the transactions of `from` and later batches, and their blocks, so that the batches can be
   * anchored again.
   */
  forgetAnchors(from: number): void {
    const isLater = ({ record }: { record: AnchorRecord }) => record.batch >= from;
    const sent = this.#documents('anchor_transactions') as unknown as { record: AnchorRecord }[];
    const gone = new Set(sent.filter(isLater).map(({ record }) => record.transaction!.txid));
    this.#change('anchor_transactions', (one) => !isLater(one as never));
    const blocks = this.#documents('dev_ledger_blocks') as unknown as { height: number; txids: string[] }[];
    const first = Math.min(
      ...blocks.filter(({ txids }) => txids.some((id) => gone.has(id))).map((b) => b.height),
    );
    this.#change('dev_ledger_blocks', ({ height }) => Number(height) < first);
    this.#change(
      'dev_ledger_transactions',
      ({ id, blockHeight }) => !gone.has(id) && !(Number(blockHeight) >= first),
    );
    this.#change('dev_ledger_spends', ({ spender }) => !gone.has(String(spender)));
    for (const file of this.#files(TOPICS.anchors)) {
      const kept = this.#lines<Line>(file).filter(({ text }) => {
        const { batch, transaction } = JSON.parse(text) as AnchorRecord;
        return batch < from || transaction === null;
      });
      this.#write(
        file,
        kept.map((line, offset) => ({ ...line, offset })),
      );
    }
  }

  /** Replaces the chain topic by the verdicts of the product's verifier on the changed reports. */
  async #judgeAgain(): Promise<void> {
    const held = openDataFolder(temporaryFolder(this.#t));
    const eventLog = await openEmbeddedEventLog({ folder: held, topics: EMBEDDED_TOPICS });
    const store = await openEmbeddedDocumentStore({ folder: held });
    for (const file of this.#files(TOPICS.fileEvents))
      for (const line of this.#lines<BackupRecord>(file)) {
        const { key, id, body } = recordOf(line, file);
        await eventLog.append(TOPICS.fileEvents, [{ key, id, body }]);
      }
    const verifier = createChainVerifier({ eventLog, store, logId: this.#logId, log: silentLog() });
    await verifier.start();
    await until('every report to be judged again', async () => {
      const done = await eventLog.committed(TOPICS.fileEvents, GROUPS.verifier);
      const bounds = await eventLog.bounds(TOPICS.fileEvents);
      return bounds.every(({ end, partition }) => (done.get(partition) ?? 0) >= end) ? true : undefined;
    });
    await verifier.stop();
    for (const file of this.#files(TOPICS.chain)) {
      const lines: BackupRecord[] = [];
      const partition = Number(/(\d+)\.ndjson/.exec(file)![1]);
      for await (const { records } of eventLog.read(TOPICS.chain, partition, 0))
        lines.push(...records.map(lineOf));
      if (lines.length !== this.#lines(file).length) throw new Error(`${file}: another number of verdicts`);
      this.#write(file, lines);
    }
    await eventLog.close();
    await store.close();
    held.release();
  }

  #cutAgain(): number {
    const log = new CompactRange();
    const anchored = new Map<string, number>();
    const forged = new Map<number, CutLike>();
    let first = -1;
    const old = (this.#documents('cuts') as CutLike[]).sort((a, b) => a.cut.batch - b.cut.batch);
    for (const document of old) {
      const { cut } = document;
      const before = forged.get(cut.batch - 1);
      const leafRoot = merkleRoot(this.#leaves(cut, anchored));
      const header = decodeBatchHeader(fromHex(cut.header))!;
      const previousHash = before === undefined ? header.previousHash : fromHex(before.cut.headerHash);
      const bytes = encodeBatchHeader({ ...header, leafRoot, previousHash });
      log.append(leafHash(bytes));
      const headerHash = toHex(batchHeaderHash(bytes));
      if (first < 0 && headerHash !== cut.headerHash) first = cut.batch;
      const made = {
        header: toHex(bytes),
        headerHash,
        leafRoot: toHex(leafRoot),
        logRoot: toHex(log.root()),
      };
      const after = { ...document.log, headerHash, peaks: log.peaks.map(toHex) };
      forged.set(cut.batch, { ...document, cut: { ...cut, ...made }, log: after });
    }
    this.#writeDocuments('cuts', [...forged.values()]);
    const told = (record: AnchorRecord): AnchorRecord => ({ ...record, cut: forged.get(record.batch)!.cut });
    for (const file of this.#files(TOPICS.anchors))
      this.#write(
        file,
        this.#lines<Line>(file).map((line) => ({
          ...line,
          text: JSON.stringify(told(JSON.parse(line.text) as AnchorRecord)),
        })),
      );
    this.#writeDocuments(
      'anchor_transactions',
      this.#documents('anchor_transactions').map((one) => ({
        ...one,
        record: told(one['record'] as AnchorRecord),
      })),
    );
    return first;
  }

  #leaves({ ranges }: Cut, anchored: Map<string, number>): Uint8Array[] {
    const leaves = ranges.flatMap(({ partition, from, to }) => {
      const file = this.#files(TOPICS.chain).find((name) => name.endsWith(`/${partition}.ndjson.gz`))!;
      const records = this.#lines<BackupRecord>(file).filter(({ offset }) => offset >= from && offset < to);
      return records.flatMap((line) => {
        const { key, body } = recordOf(line, file);
        return (decodeChainBody(body) as ChainRecord).entries.flatMap(({ linkHash, number }) => {
          if (number <= (anchored.get(key) ?? -1)) return [];
          anchored.set(key, number);
          return [{ mapKey: mapKey(this.#logId, 'FILE', key), number, linkHash: fromHex(linkHash) }];
        });
      });
    });
    return sortLeaves(leaves).map((leaf) => leafHash(leafData(leaf.mapKey, leaf.number, leaf.linkHash)));
  }

  #manifest(): BackupManifest {
    return manifestIn(this.#folder);
  }

  #files(topic: string): string[] {
    return this.#manifest()
      .partitions.filter((one) => one.topic === topic)
      .map(({ file }) => file);
  }

  #lines<T>(file: string): T[] {
    const text = gunzipSync(readFileSync(join(this.#folder, file))).toString();
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  }

  #documents(collection: string): Document[] {
    return this.#lines<Document>(`documents/${collection}.ndjson.gz`);
  }

  #change(collection: string, keeps: (document: Document) => boolean): void {
    this.#writeDocuments(collection, this.#documents(collection).filter(keeps));
  }

  #writeDocuments(collection: string, documents: readonly Document[]): void {
    this.#write(`documents/${collection}.ndjson.gz`, documents);
  }

  /** Writes a file and its new facts in the manifest. */
  #write(file: string, lines: readonly object[]): void {
    const packed = gzipSync(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    writeFileSync(join(this.#folder, file), packed);
    const facts = {
      lines: lines.length,
      bytes: packed.length,
      sha256: createHash('sha256').update(packed).digest('hex'),
    };
    const manifest = this.#manifest();
    const now = <T extends { readonly file: string }>(one: T): T =>
      one.file === file ? { ...one, ...facts } : one;
    const partition = manifest.partitions.find((one) => one.file === file);
    const ends = manifest.ends.map((one) =>
      one.topic === partition?.topic
        ? { ...one, ends: one.ends.map((end, at) => (at === partition.partition ? lines.length : end)) }
        : one,
    );
    const changed = {
      ...manifest,
      ends,
      collections: manifest.collections.map(now),
      partitions: manifest.partitions.map(now),
    };
    writeUnsigned(this.#folder, changed);
  }
}
