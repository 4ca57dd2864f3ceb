/**
 * Tests `sentinel dead-letters` on a stopped system: an unprocessable record parks one file only, and is
 * replayed or skipped.
 */
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { partitionOf, TOPICS, type Dashboard } from '@sentinel-node/contracts';
import { EMBEDDED_TOPICS, openDataFolder, openEmbeddedEventLog } from '@sentinel-node/platform';
import type { TopicReads } from '../src/operator/read-counter.ts';
import { audit, auditIsClean } from './support/audit.ts';
import { runChild } from './support/child.ts';
import { SENTINEL, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { linksOf, linksOnce, sceneOn, shown } from './support/scene.ts';
import { inLog } from './support/tamper.ts';
import { FILE_MS, until } from './support/until.ts';

const NOBODY = '01932b5e-7c00-7a11-8b22-000000000003';
const RIDDLE = '{"kind":"riddle"}';

const PARTITIONS = EMBEDDED_TOPICS.find(({ name }) => name === TOPICS.fileEvents)!.partitions;

/** Returns two of the files whose reports share a partition; one file more than there are partitions has such two. */
function pairOfOnePartition(files: readonly string[]): readonly [string, string] {
  const byPartition = new Map<number, string>();
  for (const file of files) {
    const partition = partitionOf(file, PARTITIONS);
    const other = byPartition.get(partition);
    if (other !== undefined) return [other, file];
    byPartition.set(partition, file);
  }
  throw new Error(`no two of ${files.length} files share a partition`);
}

/** Appends bytes that no version can judge, as a broken program would. */
async function poison(dataDir: string, key: string): Promise<void> {
  const folder = openDataFolder(dataDir);
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  await eventLog.append(TOPICS.fileEvents, [{ key, id: 'poison', body: Buffer.from(RIDDLE) }]);
  await eventLog.close();
  folder.release();
}

t.setTimeout(FILE_MS);
t.test('a poisoned file', { timeout: FILE_MS }, async (t) => {
  const node = await startedNode(t);
  const { dataDir } = node;
  const wishes = Array.from({ length: PARTITIONS + 1 }, (_, n) => [`file ${n}`, {}] as const);
  const { admin, agent, files } = await sceneOn(t, node, Object.fromEntries(wishes));
  // Reports of one partition are judged in their order, so that a link of one file shows that those of the other were judged.
  const [one = '', two = ''] = pairOfOnePartition(Object.values(files));
  const run = async (t: Test, ...args: string[]) => {
    const ended = await runChild(t, [SENTINEL, 'dead-letters', ...args, '--data', dataDir]);
    t.notMatch(ended.stdout + ended.stderr, /riddle/, 'no output quotes the record');
    return ended;
  };
  const notJudgedFiles = async () =>
    ((await admin.done('GET', `/dashboard/${admin.orgId}`)) as Dashboard).notJudged;
  await agent.report(one, 'FIRST', version('a'));
  await agent.report(one, 'REPLACED', version('a'), version('b'));
  await linksOnce(agent, one, 2);

  await t.test('a folder in use is refused', async (t) => {
    const { code, stderr } = await run(t, 'list');
    t.equal(code, 1);
    t.match(stderr, /another process uses the data folder/);
  });
  await node.stop();
  await poison(dataDir, one);
  await node.start();

  await t.test('its later reports are taken and wait; the other file goes on', async (t) => {
    await agent.report(one, 'REPLACED', version('b'), version('c'));
    await agent.report(one, 'REPLACED', version('x'), version('d'));
    await agent.report(two, 'FIRST', version('a'));
    await linksOnce(agent, two, 1);
    t.equal((await linksOf(agent, one)).length, 2);
  });
  await t.test('the dashboard says which file is not judged', async (t) => {
    const notJudged = await until('the file on the dashboard', notJudgedFiles);
    matchWhole(t, notJudged, { files: 1, atLeast: false, named: [{ id: one }] });
  });
  await node.stop();

  await t.test('the list shows it to a person and to a program', async (t) => {
    const { code, stdout } = await run(t, 'list');
    t.equal(code, 1, 'no script that looks for parked files passes over one');
    t.match(stdout, /^FILE +WAITING +JUDGED UP TO +CAUSE\n/);
    t.match(stdout, new RegExp(`\n${one} +3 +20\\S+Z +a record of no known kind\n$`));
    const json = await run(t, 'list', '--json');
    t.equal(json.code, 1);
    matchWhole(t, JSON.parse(json.stdout), {
      files: [{ file: one, waiting: 3, letters: 3, replayed: 0, source: { topic: TOPICS.fileEvents } }],
    });
  });
  await t.test('the audit finds all as the log says', (t) => auditIsClean(t, dataDir));

  await t.test('the poison stays what it is: a replay is refused and says why', async (t) => {
    const { code, stdout } = await run(t, 'replay', '--all');
    t.equal(code, 1);
    t.match(
      stdout,
      `${one}: 0 replayed; still parked, letter 0 cannot be judged: a record of no known kind\n`,
    );
  });
  await t.test('wrong usage', async (t) => {
    for (const args of [
      [],
      ['replay'],
      ['replay', one, '--all'],
      ['replay', '--all', '--skip'],
      ['list', one],
    ])
      t.equal((await run(t, ...args)).code, 2, args.join(' '));
    t.match(await run(t, 'replay', NOBODY), { code: 2, stderr: /has no dead letters/ });
    t.match(await run(t, '--help'), { code: 0, stdout: /usage: sentinel dead-letters list/ });
  });

  await t.test('passed over, the rest is judged in order and the file is parked no longer', async (t) => {
    const { code, stdout } = await run(t, 'replay', one, '--skip', '--json');
    t.equal(code, 0);
    const { files, reads } = JSON.parse(stdout) as { files: unknown; reads: TopicReads[] };
    t.same(files, [{ key: one, replayed: 2, skipped: 1 }]);
    t.ok(reads.length > 0);
    for (const { topic, read, expected } of reads) t.equal(read, expected, topic);
    t.match(await run(t, 'replay', one), { code: 0, stdout: `${one}: is not parked\n` });
    t.match(await run(t, 'list'), { code: 0, stdout: 'no file is parked\n' });
  });

  await t.test('what a person sees is what was reported, and the file goes on', async (t) => {
    await node.start();
    await linksOnce(agent, one, 4);
    await until('none on the dashboard', async () =>
      (await notJudgedFiles()) === undefined ? true : undefined,
    );
    await agent.report(one, 'REPLACED', version('d'), version('e'));
    const links = await linksOnce(agent, one, 5);
    t.same(
      shown(links).map(({ hash, statuses }) => [hash, statuses]),
      [
        [version('e').hash, []],
        [version('d').hash, ['ACTIVE']],
        [version('c').hash, []],
        [version('b').hash, []],
        [version('a').hash, []],
      ],
    );
    await node.stop();
  });
  await t.test('the audit judges the detour again and agrees', (t) => auditIsClean(t, dataDir));

  await t.test('the audit finds a letter that was judged otherwise than it says', async (t) => {
    const [before, after] = [version('c').hash, version('z').hash];
    t.ok(inLog(dataDir, ['"kind":"replay"', before], before, after) > 0);
    const { code, findings } = await audit(t, dataDir);
    t.equal(code, 1);
    // The verdict on the letter, and those after it and the head, which follow from its state.
    const isVerdict = new RegExp(`^verdicts: ${one} revision \\d+: another verdict was published`);
    const isHead = new RegExp(`^heads: ${one}: \\S.* differ from what the log gives`);
    t.ok(findings.some((finding) => isVerdict.test(finding)));
    t.same(
      findings.filter((finding) => !isVerdict.test(finding) && !isHead.test(finding)),
      [],
    );
  });
});
