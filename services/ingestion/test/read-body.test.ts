import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { FairPool, FairTurns } from '@sentinel-node/platform';
import { createBodies } from '../src/bodies.ts';
import { Refusal } from '../src/domain/refusal.ts';
import { readBody } from '../src/http/read-body.ts';
import { INGESTION_LIMITS } from '../src/limits.ts';

const LIMIT_BYTES = 1_048_576;
const LINES = 'one line\n'.repeat(25_000);
const PACKED = gzipSync(LINES);
const SMALL = gzipSync('one line\n');
const PATIENCE_MS = 60_000;

/** Reads compressed bodies, with turns of their own. */
class Reads {
  readonly turns: FairTurns;
  readonly #pace = createBodies(INGESTION_LIMITS).pace;
  readonly #pool: FairPool;

  constructor({ waiting = 1_000, waitMs = PATIENCE_MS, poolBytes = 16 * LIMIT_BYTES } = {}) {
    this.turns = new FairTurns({ unit: 'bodies', whole: 2, waiting, waitMs });
    this.#pool = new FairPool({ unit: 'bytes', whole: poolBytes, perMember: poolBytes });
  }

  async read(group: string, packed: Buffer): Promise<string> {
    const raw = new IncomingMessage(new Socket());
    raw.headers = { 'content-encoding': 'gzip' };
    raw.push(packed);
    raw.push(null);
    const share = this.#pool.hold(group, 'device');
    const rules = { maxBytes: LIMIT_BYTES, unpacking: this.turns, group, share, pace: this.#pace };
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
    t.equal(await reads.read('quiet', PACKED), LINES);
    t.equal(isRead, false);
    release();
    t.equal(await loud, LINES);
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

t.test('a small body takes no turn, unless it is larger than its trailer tells', async (t) => {
  const reads = new Reads({ waitMs: 1 });
  await reads.turns.take('loud');
  t.equal(await reads.read('loud', SMALL), 'one line\n');
  t.equal(await reads.read('loud', gzipSync('')), '');
  t.equal(await reads.read('loud', SMALL.subarray(0, -1)), 'VALIDATION_FAILED');
  t.equal(await reads.read('loud', Buffer.concat([PACKED, gzipSync('')])), 'OVERLOADED');
  const small = new Reads({ poolBytes: 1_000 });
  t.equal(await small.read('one', gzipSync(Buffer.alloc(10_000))), 'OVERLOADED');
});

t.test('however a body ends, its turn is free again', async (t) => {
  const reads = new Reads();
  t.equal(await reads.read('one', PACKED), LINES);
  t.equal(await reads.read('one', gzipSync(Buffer.alloc(LIMIT_BYTES + 1))), 'PAYLOAD_TOO_LARGE');
  t.equal(await reads.read('one', Buffer.from('no gzip at all')), 'VALIDATION_FAILED');
  const small = new Reads({ poolBytes: 10_000 });
  t.equal(await small.read('one', PACKED), 'OVERLOADED');
  for (const { turns } of [reads, small]) t.equal(turns.used, 0);
});
