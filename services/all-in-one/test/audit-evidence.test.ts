/** Tests what the audit takes as evidence that was kept elsewhere. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { defaultLogOrigin, merkleRoot, signCheckpoint } from '@sentinel-node/contracts';
import { logKeyOf, readConfig } from '@sentinel-node/platform';
import { checkpointWords, readCheckpoint } from '../src/audit/evidence.ts';

const logKey = logKeyOf('a master secret of this test');
const origin = defaultLogOrigin(logKey.logId);
const operation = { config: readConfig({}, ['ingestion']), logKey };

t.test('a checkpoint of the empty log is refused: nothing could contradict it', async (t) => {
  const path = join(t.testdir(), 'note');
  const write = (size: number, root: Uint8Array): Promise<void> =>
    writeFile(
      path,
      signCheckpoint({ origin, size, root }, logKey.publicKey, (text) => logKey.sign(text)),
    );
  await write(0, merkleRoot([]));
  await t.rejects(readCheckpoint(path, operation), {
    message: /is of the empty log, which shows nothing: give one that was kept later/,
  });
  await write(3, new Uint8Array(32).fill(1));
  t.match(await readCheckpoint(path, operation), { size: 3 });
});

t.test('it is said up to which batch a checkpoint binds', (t) => {
  const root = new Uint8Array(32);
  t.same(checkpointWords({ size: 5, root }, 5), []);
  t.match(
    checkpointWords({ size: 3, root }, 5).join('\n'),
    /^the kept checkpoint binds the batches up to 2, the log has 2 more: .* shows by a newer checkpoint alone$/,
  );
  t.match(checkpointWords(undefined, 5).join('\n'), /^no checkpoint kept elsewhere was given: /);
  t.end();
});
