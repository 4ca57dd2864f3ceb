import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attributes, Report } from '@sentinel-node/contracts';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { merge } from '../src/domain/merge.ts';
import { NO_MEMORY } from '../src/domain/memory.ts';
import type { Observation } from '../src/domain/observation.ts';
import { step } from '../src/domain/step.ts';
import { attributesOf, nonRegularAttributes } from '../src/io/attributes.ts';
import { lookAt } from '../src/io/kind.ts';
import { FILE_MS, fileId, stage, until } from './agent-process.ts';
import { overwrite } from './put-file.ts';
import { context, known, version } from './step-cases.ts';

t.setTimeout(FILE_MS);

const PLAIN: Attributes = { kind: 'FILE', mode: '0644', owner: 1000, group: 100, size: 3, inode: 7 };
const seen = (text: string, attributes?: Attributes): Observation => ({
  kind: 'file',
  what: 'file',
  now: version(text),
  prefix: version(text),
  reread: true,
  ...(attributes === undefined ? {} : { attributes }),
});

t.test('attributes are what the file system says', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-attributes-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'file');
  writeFileSync(path, 'abc');
  chmodSync(path, 0o4751);
  symlinkSync('file', join(folder, 'link'));
  const { ino, uid, gid, mtimeMs } = statSync(path);
  const file = await lookAt(path);
  t.same(attributesOf(file.about, file.target), {
    kind: 'FILE',
    mode: '4751',
    owner: uid,
    group: gid,
    size: 3,
    mtime: new Date(mtimeMs).toISOString(),
    inode: ino,
  });
  const link = await lookAt(join(folder, 'link'));
  t.match(attributesOf(link.about, link.target), {
    kind: 'LINK',
    linkTarget: 'file',
    mode: '4751',
    inode: ino,
  });
});

t.test('a target that is no text, or too long for a report, is told by its hash', async (t) => {
  const { about } = await lookAt(process.execPath);
  const told = (target: Buffer) => attributesOf(about, target).linkTarget ?? '';
  t.match(told(Buffer.from([0x2f, 0xff])), /^sha256:[0-9a-f]{64}$/);
  t.not(told(Buffer.from([0x2f, 0xff])), told(Buffer.from([0x2f, 0xfe])), 'another one still shows');
  t.match(told(Buffer.alloc(5_000, 'a')), /^sha256:/);
  t.equal(told(Buffer.from('/srv/prüfung')), '/srv/prüfung');
});

t.test('what a platform does not give, or JSON cannot say, is left out', async (t) => {
  const about = { mode: 0o100666, uid: 0, gid: 0, size: 1, mtimeMs: 0, ino: 5 };
  t.same(Object.keys(attributesOf(about, undefined, 'win32')), ['kind', 'size', 'mtime', 'inode']);
  const odd = attributesOf({ ...about, mtimeMs: -1, ino: 2 ** 60 }, undefined, 'linux');
  t.same(Object.keys(odd), ['kind', 'mode', 'owner', 'group', 'size']);
  t.equal(odd.mode, '0666');
  t.notOk('mtime' in attributesOf({ ...about, mtimeMs: 253_402_300_800_000 }, undefined));
});

t.test('what is no regular file has a kind, nothing has none', async (t) => {
  const kinds = ['folder', 'FIFO', 'socket', 'device', 'no regular file'].map(nonRegularAttributes);
  t.same(
    kinds.map((one) => one?.kind),
    ['FOLDER', 'FIFO', 'SOCKET', 'DEVICE', 'OTHER'],
  );
  t.equal(nonRegularAttributes('nothing'), undefined);
});

t.test('the same content with other attributes gives UNCHANGED with them', async (t) => {
  const before = known('abc', { kind: 'file', attributes: PLAIN });
  const next = step(before, seen('abc', { ...PLAIN, mode: '0666' }), context());
  matchWhole(t, next?.report, {
    change: 'UNCHANGED',
    versions: [version('abc')],
    attributes: { mode: '0666' },
  });
  t.equal(next?.memory.attributes?.mode, '0666');
  t.equal(step(next!.memory, seen('abc', { ...PLAIN, mode: '0666' }), context()), undefined, 'once');
});

t.test('the first attributes of a file that is known are told', async (t) => {
  t.match(step(known('abc', { kind: 'file' }), seen('abc', PLAIN), context())?.report, {
    change: 'UNCHANGED',
    attributes: PLAIN,
  });
});

t.test('another time or inode alone is worth no report', async (t) => {
  const before = known('abc', { kind: 'file', attributes: PLAIN });
  const touched = { ...PLAIN, inode: 8, mtime: '2026-11-21T10:00:00.000Z' };
  t.equal(step(before, seen('abc', touched), context()), undefined);
});

t.test('every report of a file that is there carries them, where they are asked for', async (t) => {
  t.match(step(NO_MEMORY, seen('abc', PLAIN), context())?.report, { change: 'FIRST', attributes: PLAIN });
  const before = known('abc', { attributes: PLAIN });
  t.match(step(before, seen('abcd', PLAIN), context())?.report, { attributes: PLAIN });
  const folder: Observation = { kind: 'missing', what: 'folder', attributes: { kind: 'FOLDER' } };
  const missing = step(before, folder, context());
  t.match(missing?.report, { change: 'MISSING', attributes: { kind: 'FOLDER' } });
  t.same(missing?.memory.attributes, PLAIN, 'the file is compared with what it was');
  t.notOk('attributes' in step(NO_MEMORY, seen('abc'), context())!.report);
  const renamed = step(before, seen('abc', PLAIN), context({ identity: 'FOLLOW:/other' }));
  t.match(renamed?.report, { change: 'FIRST', attributes: PLAIN });
});

t.test('steps between which permissions changed stay reports of their own', async (t) => {
  const report = (attributes?: Attributes): Report => ({
    sequence: 1,
    timestamp: '2026-11-21T10:00:00.000Z',
    change: 'APPENDED',
    versions: [version('a'), version('a')],
    ...(attributes === undefined ? {} : { attributes }),
  });
  const merged = (a?: Attributes, b?: Attributes) =>
    merge({ report: report(a), memory: NO_MEMORY }, { report: report(b), memory: NO_MEMORY }, 10, true);
  t.ok(merged());
  t.ok(merged(PLAIN, { ...PLAIN, size: 4 }));
  t.equal(merged(PLAIN, { ...PLAIN, mode: '0600' }), undefined);
  t.equal(merged(undefined, PLAIN), undefined);
  t.equal(merged(PLAIN), undefined);
});

for (const [type, interval] of [
  ['FOLLOW', undefined],
  ['PROBE', 1],
] as const)
  t.test(`chmod of a ${type} file is reported where attributes are asked for`, async (t) => {
    const options = { type, modifiable: false, ...(interval === undefined ? {} : { interval }) };
    const { path, server, start } = await stage(t, { ...options, attributes: true }, options);
    for (const name of ['0.log', '1.log']) {
      writeFileSync(path(name), 'one\n');
      chmodSync(path(name), 0o644);
    }
    start();
    const of = (n: number) => server.reports.filter((one) => one.fileId === fileId(n));
    await until('FIRST', () => of(0).length > 0 && of(1).length > 0);
    t.match(of(0)[0]?.attributes, { kind: 'FILE', mode: '0644', owner: process.getuid?.(), size: 4 });
    for (const name of ['0.log', '1.log']) chmodSync(path(name), 0o666);
    const isOpen = ({ attributes }: Report) => attributes?.mode === '0666';
    await until('the mode', () => of(0).some(isOpen));
    matchWhole(t, of(0).find(isOpen), { change: 'UNCHANGED', versions: [{ length: 4 }] });
    overwrite(path('1.log'), 'two\n');
    await until('a change of the other', () => of(1).some(({ change }) => change === 'REPLACED'));
    t.notOk(of(1).some((one) => 'attributes' in one));
    t.same(
      of(1).filter(({ change }) => change === 'UNCHANGED'),
      [],
      'nothing was said of its mode',
    );
  });

t.test('a link, another target and a folder in place of a file are told by their kind', async (t) => {
  const { path, server, start } = await stage(t, { modifiable: false, attributes: true });
  for (const name of ['0.log', 'a', 'b']) writeFileSync(path(name), 'one\n');
  start();
  await until('FIRST', () => server.reports.length > 0);
  for (const target of ['a', 'b']) {
    symlinkSync(target, path('link'));
    renameSync(path('link'), path('0.log'));
    await until(`the link to ${target}`, () =>
      server.reports.some(({ attributes: of }) => of?.kind === 'LINK' && of.linkTarget === target),
    );
  }
  rmSync(path('0.log'));
  mkdirSync(path('0.log'));
  await until('the folder', () => server.reports.some(({ change }) => change === 'MISSING'));
  t.same(server.reports.at(-1)?.attributes, { kind: 'FOLDER' });
});

t.test('permissions that were changed while the agent was off are told when it is on again', async (t) => {
  const { path, server, start } = await stage(t, { modifiable: false, attributes: true });
  writeFileSync(path('0.log'), 'one\n');
  const agent = start();
  await until('FIRST', () => server.reports.length > 0);
  await agent.kill();
  execFileSync('chmod', ['600', path('0.log')]);
  start();
  await until('the mode', () => server.reports.some(({ attributes }) => attributes?.mode === '0600'));
});
