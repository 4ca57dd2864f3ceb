/** Tests which files count as parked, whichever verifier parked or freed them. */
import { TOPICS, type DeadLetter } from '@sentinel-node/contracts';
import tap from 'tap';
import { headsBatches } from '../src/head-store.ts';
import { INITIAL_HEAD, type Head } from '../src/index.ts';
import { ParkedFiles } from '../src/parked-files.ts';
import { MemoryLog, MemoryStore } from './doubles/memory-ports.ts';
import { FILE } from './dsl/records.ts';

const PARKED = { parking: 7, letters: 1, replayed: 0, cause: 'riddle' };

function scene() {
  const log = new MemoryLog(1);
  const store = new MemoryStore();
  const letter = (offset: number, kind: DeadLetter['kind'] = 'POISON') => {
    const source = { topic: TOPICS.fileEvents, partition: 0, offset, key: FILE, id: 'x', length: 2 };
    const cause = kind === 'POISON' ? 'riddle' : null;
    const value: DeadLetter = { v: 1, kind, parking: 7, index: 0, ...source, cause, judgedUpTo: null };
    log.put({ key: FILE, id: `${offset}`, body: Buffer.from(JSON.stringify(value)) }, [log.deadLetters]);
  };
  const head = (rev: number, offset: number, more: Partial<Head> = {}) =>
    store.writeBatches(headsBatches(new Map([[FILE, { ...INITIAL_HEAD, rev, offset, ...more }]])));
  return { files: new ParkedFiles(log, store), letter, head };
}

tap.test('a file that another verifier parked counts until another one frees it', async (t) => {
  const { files, letter, head } = scene();
  await files.look();
  t.equal(files.size, 0);
  letter(7);
  await head(2, 7, { parked: PARKED });
  await files.look();
  t.equal(files.size, 1);
  letter(8, 'FOLLOWER');
  await head(3, 8, { parked: { ...PARKED, letters: 2 } });
  await files.look();
  t.equal(files.size, 1);
  await head(5, 12);
  await files.look();
  t.equal(files.size, 0);
  letter(20);
  await head(6, 20, { parked: { ...PARKED, parking: 20 } });
  await files.look();
  t.equal(files.size, 1, 'parked again');
});

tap.test('a letter whose head is not stored yet is not forgotten', async (t) => {
  const { files, letter, head } = scene();
  await head(1, 3);
  letter(7);
  await files.look();
  t.equal(files.size, 0);
  await head(2, 7, { parked: PARKED });
  await files.look();
  t.equal(files.size, 1);
});

tap.test('what the own process parks or frees counts at once', async (t) => {
  const { files } = scene();
  t.equal(files.size, undefined, 'nobody has looked yet');
  await files.look();
  files.add(FILE);
  t.equal(files.size, 1);
  files.remove(FILE);
  t.equal(files.size, 0);
});
