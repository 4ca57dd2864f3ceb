import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runCommand, runDownload } from '../src/test-servers/run-command.ts';

/** A command that succeeds at its nth run, and counts its runs in a file. */
function succeedsAt(folder: string, nth: number) {
  const log = join(folder, 'log');
  const text = `echo run >>'${log}'; [ "$(wc -l <'${log}')" -ge ${nth} ] && echo done || { echo 'no network' >&2; exit 1; }`;
  return { args: ['-c', text], runs: () => readFileSync(log, 'utf8').split('\n').length - 1 };
}

t.test('a download is tried three times, any other command once', async (t) => {
  const folder = t.testdir();
  const third = succeedsAt(mkdtempSync(join(folder, 'run-')), 3);
  t.equal(await runDownload('sh', third.args, undefined, 1), 'done\n');
  t.equal(third.runs(), 3);
  const fourth = succeedsAt(mkdtempSync(join(folder, 'run-')), 4);
  await t.rejects(runDownload('sh', fourth.args, undefined, 1), new Error('sh failed: no network\n'));
  t.equal(fourth.runs(), 3);
  const second = succeedsAt(mkdtempSync(join(folder, 'run-')), 2);
  await t.rejects(runCommand('sh', second.args), new Error('sh failed: no network\n'));
  t.equal(second.runs(), 1);
});
