/** Lists of expected changes: what is read of them, and what they say of an alert. */
import {
  ATTRIBUTE_NAMES,
  LIMITS,
  WATCHED_ATTRIBUTES,
  type AttributeName,
  type Covered,
  type CreateExpected,
  type ExpectedEntity,
} from '@sentinel-node/contracts';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { checksumsOf, expectedEntries } from '../src/registry/checksums.ts';
import { decideExpected, expectedState } from '../src/registry/expected.ts';
import { entryKey, isExpected, type AlertMoment } from '../src/registry/set-aside.ts';

const AT = Date.UTC(2026, 10, 21, 10);
const HOUR_MS = 3_600_000;
const BY = { userId: 'u1', email: 'ada@example.org' };
const stamp = (at: number) => ({ at, version: 1, by: BY });
const [A, B] = ['a'.repeat(64), 'b'.repeat(64)];
const SCOPE: Covered = { everything: false, deviceIds: ['d1'], files: [], labels: [] };

const add = (more: Partial<Omit<CreateExpected, 'scope'>> = {}) => {
  const end = new Date(AT + HOUR_MS).toISOString();
  const fields = { reason: 'Release', end, entries: [{ path: '/srv/a', sha256: A }], ...more };
  return decideExpected({ type: 'ADD', id: 'l1', orgId: 'o1', fields, scope: SCOPE }, undefined, stamp(AT));
};
function entityOf(decision: ReturnType<typeof decideExpected>): ExpectedEntity {
  if (decision.kind !== 'changed') throw new Error(JSON.stringify(decision));
  return decision.entity;
}

t.test('lines as sha256sum writes them', async (t) => {
  const text = [
    '# of the release',
    `${A}  /srv/a b.txt`,
    `${B.toUpperCase()} */srv/b.bin`,
    '',
    `\\${A}  /srv/new\\nline\\\\end`,
  ].join('\r\n');
  t.strictSame(checksumsOf(text), [
    { path: '/srv/a b.txt', sha256: A },
    { path: '/srv/b.bin', sha256: B },
    { path: '/srv/new\nline\\end', sha256: A },
  ]);
  const wrong = (given: string, message: RegExp) =>
    matchWhole(t, checksumsOf(given), { kind: 'refused', errors: [{ path: '/checksums', message }] });
  wrong(`${A}  /srv/a\n${A.slice(1)}  /srv/b`, /line 2/);
  wrong(`${A}0  /srv/a`, /line 1/);
  wrong(`${A}`, /line 1/);
  wrong('d41d8cd98f00b204e9800998ecf8427e  /srv/a', /line 1/);
  wrong('\n# nothing\n', /has no line/);
});

t.test('paths are whole, and each stands once', async (t) => {
  const checksums = `${A}  ./bin/shop\n${B}  lib/../lib/shop.js`;
  t.strictSame(expectedEntries({ checksums, folder: '/opt/shop' }), [
    { path: '/opt/shop/bin/shop', sha256: A },
    { path: '/opt/shop/lib/shop.js', sha256: B },
  ]);
  t.strictSame(expectedEntries({ entries: [{ path: 'C:\\Shop\\A.dll', sha256: A }] }), [
    { path: 'c:\\shop\\a.dll', sha256: A },
  ]);
  const refused = (given: Parameters<typeof expectedEntries>[0], path: string) =>
    matchWhole(t, expectedEntries(given), { kind: 'refused', errors: [{ path }] }, path);
  refused({ checksums }, '/checksums');
  refused({}, '');
  refused({ checksums, entries: [] }, '');
  const twice = [
    { path: '/srv/a', sha256: A },
    { path: '/srv/x/../a', sha256: B },
  ];
  refused({ entries: twice }, '/entries/1/path');
});

t.test('a list is added and ended', async (t) => {
  const list = entityOf(add());
  matchWhole(t, list, { entries: 1, added: [{ path: '/srv/a', sha256: A }], endedAt: null });
  matchWhole(t, add(), { events: [{ type: 'ADD_EXPECTED_CHANGES', deviceId: 'd1', fileId: null }] });
  for (const end of [AT, AT - 1, AT + LIMITS.expectedDaysMax * 24 * HOUR_MS + 1])
    matchWhole(t, add({ end: new Date(end).toISOString() }), { kind: 'refused', errors: [{ path: '/end' }] });
  t.match(add({ end: '2026-11-31T10:00:00.000Z' }), { kind: 'refused' });
  const many = Array.from({ length: LIMITS.expectedEntries + 1 }, (_, n) => ({ path: `/${n}`, sha256: A }));
  t.match(add({ entries: many }), { kind: 'refused' });
  t.match(add({ entries: many.slice(1) }), { kind: 'changed' });
  const ended = decideExpected({ type: 'END' }, list, stamp(AT + 5));
  matchWhole(t, entityOf(ended), { endedAt: AT + 5, entries: 1, added: [] });
  t.strictSame(decideExpected({ type: 'END' }, entityOf(ended), stamp(AT + 6)), { kind: 'unchanged' });
  t.strictSame(decideExpected({ type: 'END' }, list, stamp(AT + HOUR_MS)), { kind: 'unchanged' });
  t.match(decideExpected({ type: 'END' }, undefined, stamp(AT)), { code: 'NOT_FOUND' });
  t.strictSame(
    [expectedState(list, AT), expectedState(list, AT + HOUR_MS), expectedState(entityOf(ended), AT + 9)],
    ['VALID', 'EXPIRED', 'ENDED'],
  );
});

t.test('only exactly what is listed is expected', async (t) => {
  const list = entityOf(add());
  const entries = new Map([['l1', new Set([entryKey('o1', '/srv/a', A)])]]);
  const alert = (more: Partial<AlertMoment> = {}): AlertMoment => ({
    deviceId: 'd1',
    fileId: 'f1',
    type: 'UNEXPECTED_CHANGE',
    timestamp: AT + 1,
    lastTimestamp: AT + 1,
    occurrences: 1,
    labels: [],
    path: '/srv/a',
    contentHash: A,
    ...more,
  });
  t.ok(isExpected(list, entries, alert()));
  t.ok(isExpected(list, entries, alert({ type: 'HASH_BREACH' })));
  t.ok(isExpected(list, entries, alert({ reportedHashes: [A, A] })));
  const others: readonly Partial<AlertMoment>[] = [
    { contentHash: B },
    { contentHash: null },
    { reportedHashes: [B, A] },
    { path: '/srv/b' },
    { path: null },
    { deviceId: 'd2' },
    { timestamp: AT - 1 },
    { timestamp: AT + HOUR_MS },
    { occurrences: 2 },
    { type: 'ROLLED_FILE_CHANGED' },
    { type: 'HASH_BREACH_IN_REQ' },
  ];
  for (const more of others) t.notOk(isExpected(list, entries, alert(more)), JSON.stringify(more));
  const withChanged = (...names: readonly AttributeName[]): boolean =>
    isExpected(list, entries, alert({ attributeChanges: names.map((name) => ({ name })) }));
  t.ok(withChanged('size', 'mtime', 'inode', 'xattrs'), 'as each replaced file has them');
  for (const name of WATCHED_ATTRIBUTES) t.notOk(withChanged('mtime', name), name);
  t.notOk(withChanged(...ATTRIBUTE_NAMES));
  t.notOk(isExpected({ ...list, endedAt: AT + 1 }, entries, alert()), 'it was ended before');
  t.notOk(isExpected(list, new Map(), alert()));
  t.notOk(isExpected({ ...list, orgId: 'o2' }, entries, alert()));
});

t.test('each refusal of a list says what is wrong, and where', async (t) => {
  const wrong = (refused: ReturnType<typeof expectedEntries>): string =>
    'kind' in refused
      ? (refused.errors ?? []).map(({ path, message }) => `${path} ${message}`).join()
      : 'taken';
  t.equal(wrong(expectedEntries({})), ' needs either entries or checksums');
  t.equal(
    wrong(expectedEntries({ entries: [{ path: '/a', sha256: A }], checksums: `${A}  /a` })),
    ' needs either entries or checksums',
  );
  t.equal(wrong(expectedEntries({ checksums: '' })), '/checksums has no line');
  t.equal(
    wrong(expectedEntries({ checksums: ' ' })),
    '/checksums has no line',
    'spaces alone are an empty line',
  );
  t.equal(
    wrong(expectedEntries({ checksums: `x\n${A}  /a` })),
    '/checksums line 1 is no SHA-256 (64 hex digits) with a path',
  );
  t.equal(
    wrong(expectedEntries({ checksums: `${A}  a` })),
    '/checksums a is not a whole path, and there is no folder',
  );
  const entries = [
    { path: '/a', sha256: A },
    { path: '/b/../a', sha256: B },
  ];
  t.equal(wrong(expectedEntries({ entries })), '/entries/1/path /b/../a stands twice');
  t.equal(wrong(expectedEntries({ checksums: `${A}  /a\n${A}  /a` })), '/checksums /a stands twice');
  const long = (characters: number) =>
    wrong(expectedEntries({ entries: [{ path: 'p'.repeat(characters), sha256: A }] }));
  t.equal(long(200), `/entries/0/path ${'p'.repeat(200)} is not a whole path, and there is no folder`);
  t.equal(long(201), `/entries/0/path ${'p'.repeat(200)}… is not a whole path, and there is no folder`);
});
