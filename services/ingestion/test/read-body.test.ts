import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { FairPool, FairTurns } from '@sentinel-node/platform';
import { createBodies } from '../src/bodies.ts';
import { Refusal } from '../src/domain/refusal.ts';
import { readBody } from '../src/http/read-body.ts';
import { INGESTION_LIMITS } from '../src/limits.ts';

const LINE = 'one line\n';
const PACKED = gzipSync(LINE);
const PATIENCE_MS = 60_000;

/** Reads compressed bodies, with turns of their own. */
class Reads {
  readonly turns: FairTurns;
  readonly #pace = createBodies(INGESTION_LIMITS).pace;
  readonly #pool: FairPool;

  constructor({ waiting = 1_000, waitMs = PATIENCE_MS, poolBytes = 1_048_576 } = {}) {
    this.turns = new FairTurns({ unit: 'bodies', whole: 2, waiting, waitMs });
    this.#pool = new FairPool({ unit: 'bytes', whole: poolBytes, perMember: poolBytes });
  }

  async read(group: string, packed: Buffer): Promise<string> {
    const raw = new IncomingMessage(new Socket());
    raw.headers = { 'content-encoding': 'gzip' };
    raw.push(packed);
    raw.push(null);
    const share = this.#pool.hold(group, 'device');
    const rules = { maxBytes: 4_096, unpacking: this.turns, group, share, pace: this.#pace };
    const body = await readBody(raw, rules);
    share.release();
    return body instanceof Refusal ? body.code : body.toString();
  }
}

t.test(
  'given a group that has its turns, its next body waits, and one of another group goes on',
  async (t) => {
    const reads = new Reads();
    const release = await reads.turns.take('loud');
    let isRead = false;
    const loud = reads.read('loud', PACKED).then((body) => {
      isRead = true;
      return body;
    });
    t.equal(await reads.read('quiet', PACKED), LINE);
    t.equal(isRead, false);
    release();
    t.equal(await loud, LINE);
    t.equal(reads.turns.used, 0);
  },
);

t.test('given too many that wait, or a wait that is too long, a body is refused for now', async (t) => {
  const full = new Reads({ waiting: 0 });
  await full.turns.take('loud');
  t.equal(await full.read('loud', PACKED), 'OVERLOADED');
  const slow = new Reads({ waitMs: 1 });
  await slow.turns.take('loud');
  t.equal(await slow.read('loud', PACKED), 'OVERLOADED');
});

t.test('however a body ends, its turn is free again', async (t) => {
  const reads = new Reads();
  t.equal(await reads.read('one', PACKED), LINE);
  t.equal(await reads.read('one', gzipSync(Buffer.alloc(4_097))), 'PAYLOAD_TOO_LARGE');
  t.equal(await reads.read('one', Buffer.from('no gzip at all')), 'VALIDATION_FAILED');
  const small = new Reads({ poolBytes: 100 });
  t.equal(await small.read('one', gzipSync(Buffer.alloc(4_000))), 'OVERLOADED');
  for (const { turns } of [reads, small]) t.equal(turns.used, 0);
});
