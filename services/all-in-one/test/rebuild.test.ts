/**
 * Tests `sentinel rebuild` on the embedded store: it rebuilds a view from the log, whatever the view
 * contained.
 */
import t, { type Test } from 'tap';
import { VIEW_COLLECTIONS } from '@sentinel-node/query';
import type { TopicReads } from '../src/operator/read-counter.ts';
import { auditIsClean, audit } from './support/audit.ts';
import { runChild } from './support/child.ts';
import { SENTINEL, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { historyOn, linksOnce } from './support/scene.ts';
import { inViews } from './support/tamper.ts';
import { FILE_MS } from './support/until.ts';

t.setTimeout(FILE_MS);
t.test('rebuilding views', { timeout: FILE_MS }, async (t) => {
  const { node, admin, agent, one, links } = await historyOn(t, await startedNode(t));
  const [link] = links;
  const { dataDir } = node;
  const rebuild = (t: Test, ...args: string[]) =>
    runChild(t, [SENTINEL, 'rebuild', ...args, '--data', dataDir]);

  await t.test('a folder in use is refused', async (t) => {
    const { code, stderr } = await rebuild(t, 'links');
    t.equal(code, 1);
    t.match(stderr, /^sentinel rebuild: another process uses the data folder/);
  });
  await node.stop();
  const before = await auditIsClean(t, dataDir);

  await t.test('views that were edited, taken away, put in are as the log says again', async (t) => {
    const edit = 'UPDATE $table SET body = replace(body, ?, ?) WHERE id = ?';
    t.equal(inViews(dataDir, 'links', edit, link!.hash!, version('x').hash, link!.id), 1);
    t.ok(inViews(dataDir, 'alerts', 'DELETE FROM $table') > 0);
    t.ok(inViews(dataDir, 'events', 'DELETE FROM $table WHERE id IN (SELECT id FROM $table LIMIT 1)') > 0);
    t.ok((await audit(t, dataDir)).findings.length >= 3);
    const one = await rebuild(t, 'links', '--json');
    const { rebuilt, reads } = JSON.parse(one.stdout) as { rebuilt: string[]; reads: TopicReads[] };
    t.strictSame(rebuilt, ['links']);
    t.ok(reads.length > 0);
    for (const { topic, read, expected } of reads) t.equal(read, expected, topic);
    t.equal(one.code, 0);
    const { findings } = await audit(t, dataDir);
    t.notOk(findings.some((finding) => finding.startsWith('views: links')));
    t.ok(
      findings.some((finding) => finding.startsWith('views: alerts')),
      'the others are left alone',
    );
    const two = await rebuild(t, 'alerts', 'events');
    t.equal(two.stdout, 'rebuilt: alerts, events\n');
    const after = await auditIsClean(t, dataDir);
    t.equal(after.documents, before.documents);
  });

  await t.test('a document that is none is made anew, in each view', async (t) => {
    for (const body of ['{"id":', '', 'null', '{"rev":"x"}'])
      for (const name of ['device_first_contacts', 'links', 'devices']) {
        const broken = 'UPDATE $table SET body = ? WHERE id = (SELECT min(id) FROM $table)';
        t.equal(inViews(dataDir, name, broken, body), 1);
        const { code, stderr } = await rebuild(t, name);
        t.equal(code, 0, `${name} ${body}: ${stderr}`);
        if (name === 'device_first_contacts' && !body.startsWith('{"r'))
          t.match(
            stderr,
            /the document \S+ of the collection device_first_contacts is stored as .*: made anew/,
          );
      }
    await auditIsClean(t, dataDir);
  });

  await t.test('all at once; the system goes on from there', async (t) => {
    for (const { name } of VIEW_COLLECTIONS) inViews(dataDir, name, 'DELETE FROM $table');
    const { code, stdout } = await rebuild(t, '--all', '--json');
    t.equal(code, 0);
    t.strictSame(
      (JSON.parse(stdout) as { rebuilt: string[] }).rebuilt,
      VIEW_COLLECTIONS.map(({ name }) => name),
    );
    t.equal((await auditIsClean(t, dataDir)).documents, before.documents);
    await node.start();
    await admin.signIn();
    await agent.report(one, 'REPLACED', version('c'), version('d'));
    const links = await linksOnce(agent, one, 4);
    t.equal(links[0]!.hash, version('d').hash);
    await node.stop();
    await auditIsClean(t, dataDir);
  });

  await t.test('what is no view is refused, and told what there is', async (t) => {
    const help = await rebuild(t, '--help');
    t.equal(help.code, 0);
    for (const { name } of VIEW_COLLECTIONS) t.match(help.stdout, new RegExp(`\\b${name}\\b`));
    const cases: readonly [readonly string[], RegExp][] = [
      [
        ['nonsense'],
        /^sentinel rebuild: there is no view nonsense; views are organizations, .*anchor_ranges\n$/,
      ],
      [
        ['links', 'streams'],
        /^sentinel rebuild: streams is not a view: nothing else says .* backed up; views are/,
      ],
      [['heads'], /^sentinel rebuild: heads is not a view: the services keep it/],
      [['sessions'], /^sentinel rebuild: sessions is not a view: what it holds passes/],
      [[], /^sentinel rebuild: which view\? views are organizations/],
      [['--all', 'links'], /^sentinel rebuild: takes names of views or --all, not both\n$/],
    ];
    for (const [args, says] of cases) {
      const { code, stderr, stdout } = await rebuild(t, ...args);
      t.equal(code, 2);
      t.match(stderr, says);
      t.equal(stdout, '');
    }
  });
});
