/** Two files whose chains have the verifier's hashes, and a stranger's check of their proofs. */
import { createPublicKey, verify } from 'node:crypto';
import {
  checkHeaders,
  checkProof,
  fromHex,
  toHex,
  TOPICS,
  type ChainRecord,
  type HeaderChain,
  type Proof,
  type ProofCheckOptions,
  type ProofTrust,
} from '@sentinel-node/contracts';
import type { Test } from 'tap';
import { Anchoring, Hashing, logId, publicKey } from './anchored.ts';
import { appendChain, FileHistory } from './chain-records.ts';
import { createPlace, type Place } from './place.ts';
import { eventually, FILE } from './world.ts';

const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
export const verifySignature: ProofCheckOptions['verifySignature'] = (message, signature, key) => {
  const der = Buffer.concat([SPKI, key]);
  return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
};
const ORIGIN = `sentinel-node/${toHex(logId).slice(0, 16)}`;
export const trustOf = (genesisTxid: string): ProofTrust => {
  return { origin: ORIGIN, publicKey: toHex(publicKey), network: 'dev', genesisTxid };
};
/** Trust without any knowledge of the ledger. */
export const UNKNOWN = trustOf('00'.repeat(32));

/** Two files of a device; their records are appended with the verifier's hashes. */
export class Chains {
  readonly #here: Place;
  readonly #hashing = new Hashing();
  readonly files: readonly FileHistory[];
  /** All records, as stored. */
  readonly records: ChainRecord[] = [];

  constructor(here: Place, secondFile: string) {
    const { orgId, deviceId, fileId, world } = here;
    this.#here = here;
    this.files = [fileId, secondFile].map(
      (id) => new FileHistory({ orgId, deviceId, fileId: id }, world.clock.now()),
    );
  }

  /** @returns partition and offsets [from, to) of each record */
  async append(...records: readonly ChainRecord[]) {
    const hashed = records.map((record) => this.#hashing.hashed(record));
    this.records.push(...hashed);
    const positions = await appendChain(this.#here.world.eventLog, hashed);
    for (const { fileId, rev } of hashed)
      await eventually(async () =>
        ((await this.#here.world.store.get('file_states', fileId!))?.rev ?? 0) >= rev ? true : undefined,
      );
    return positions.map(({ partition, offset }) => ({ partition, from: offset, to: offset + 1 }));
  }

  /** Appends the same bytes again, as after a crash of the verifier. */
  async again(record: ChainRecord) {
    const [{ partition, offset } = { partition: 0, offset: 0 }] = await appendChain(
      this.#here.world.eventLog,
      [record],
    );
    return { partition, from: offset, to: offset + 1 };
  }

  /** Appends a record without entries: the first file was parked, and is no longer. */
  async parked(): Promise<void> {
    const key = this.files[0]!.key.fileId;
    const parking = {
      parking: 3,
      offset: 3,
      index: 0,
      outcome: 'PARKED',
      cause: 'x',
      letters: 1,
      replayed: 0,
    };
    const record = { v: 1, kind: 'parking', rev: 2, timestamp: 0, parking };
    const body = Buffer.from(JSON.stringify(record));
    await this.#here.world.eventLog.append(TOPICS.chain, [{ key, id: 'parked', body }]);
  }

  entriesOf(file: 0 | 1, from = 0) {
    const { fileId } = this.files[file]!.key;
    const own = this.records.filter((record) => record.fileId === fileId);
    return own.flatMap(({ entries }) => entries).filter(({ number }) => number >= from);
  }
}

/** Names of the proofs' organisation and file, with blanks, so that no signature in base64 spells one by chance. */
export const NAMES = { organization: 'Acme of the tests', file: 'Log of the tests' } as const;

export async function proofScene(t: Test) {
  const here = await createPlace(t, {}, NAMES);
  const { admin, orgId, deviceId } = here;
  const second = { ...FILE, name: 'Second', path: 'logs/second.log' };
  const { body } = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [second] });
  const secondFile = body.files.find(({ name }: { name: string }) => name === 'Second').id as string;
  const chains = new Chains(here, secondFile);
  const read = (file: 0 | 1, linkId: string) =>
    admin.call('GET', `/proofs/${orgId}/${deviceId}/${chains.files[file]!.key.fileId}/${linkId}`);
  return { ...here, chains, read, anchoring: new Anchoring(here.world) };
}

export const fileKey = ({ files }: Chains, file: 0 | 1): string => files[file]!.key.fileId;
export const verdictOf = async (proof: Proof, trust: ProofTrust, headers?: HeaderChain) =>
  checkProof(proof, trust, { verifySignature, now: Date.now(), ...(headers && { headers }) });

/** Mines a batch in a block for each list of records. @returns what a stranger knows of the log from elsewhere */
export async function mineBatches(
  { anchoring, chains, world }: Awaited<ReturnType<typeof proofScene>>,
  batches: readonly (() => ChainRecord[])[],
): Promise<{ readonly trust: ProofTrust; readonly headers: HeaderChain }> {
  for (const [batch, records] of batches.entries()) {
    const from = [0, 1].map((file) => chains.entriesOf(file as 0).length);
    world.clock.advance(1_000);
    const ranges = await chains.append(...records());
    const files = [0, 1].map(
      (file) => [fileKey(chains, file as 0), chains.entriesOf(file as 0, from[file])] as const,
    );
    await anchoring.cut(ranges, new Map(files.filter(([, entries]) => entries.length > 0)));
    await anchoring.send(batch);
    await anchoring.mine(batch, 1);
  }
  const trust = trustOf(anchoring.genesisTxid);
  const start = { height: -1, hash: '00'.repeat(32), bits: 0x207fffff };
  const headers = checkHeaders(fromHex(anchoring.headers), start, 'dev') as HeaderChain;
  return { trust, headers };
}
