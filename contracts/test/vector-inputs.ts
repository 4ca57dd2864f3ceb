import { createHash } from 'node:crypto';
import type { EntryBody, Policy } from '../src/hashes.ts';
import { entryNonce, noteHash, policyHash } from '../src/hashes.ts';
import { fromHex } from '../src/bytes/bytes.ts';

/** Inputs of the vectors. They never change; new cases are added at the end. */
const hex = (label: string): string => createHash('sha256').update(label).digest('hex');

export const LOG_KEY_SEED = hex('vector log key seed');
export const RECORD_NONCE = fromHex(hex('vector record nonce').slice(0, 32));
export const ORG = '01932b5e-7c00-7a11-8b22-000000000001';
export const DEVICE = '01932b5e-7c00-7a11-8b22-000000000002';
export const FILES = [
  '01932b5e-7c00-7a11-8b22-000000000003',
  'ffffffff-ffff-7fff-bfff-ffffffffffff',
] as const;
export const ACTOR = '01932b5e-7c00-7a11-8b22-000000000004';
export const NOTES = [
  'Planned update',
  '',
  'Änderung geprüft ✓ 🔒',
  'e\u0301 is not é',
  'lone \ud800 surrogate',
] as const;

export const POLICIES: readonly Policy[] = [
  {
    configVersion: 1,
    modifiable: true,
    rolled: false,
    enabled: true,
    monitoringFrequency: 'FOLLOW',
    category: 'STANDARD',
    path: '/var/log/app.log',
    rolledFilenameRegexp: '',
  },
  {
    configVersion: 7,
    modifiable: true,
    rolled: true,
    enabled: true,
    monitoringFrequency: 'FOLLOW',
    category: 'ADVANCED',
    path: '/srv/daten/prüfung-日本.log',
    rolledFilenameRegexp: 'prüfung-日本\\.log\\.[0-9]+(\\.gz)?',
  },
  {
    configVersion: Number.MAX_SAFE_INTEGER,
    modifiable: false,
    rolled: false,
    enabled: false,
    monitoringFrequency: 'PROBE',
    category: 'MISSION_CRITICAL',
    path: '',
    rolledFilenameRegexp: '',
  },
  {
    configVersion: 9,
    modifiable: false,
    rolled: false,
    enabled: true,
    monitoringFrequency: 'PROBE',
    category: 'STANDARD',
    path: '/etc/app/app.conf',
    rolledFilenameRegexp: '',
    watchAttributes: true,
  },
];

const acceptedAt = Date.UTC(2026, 10, 21, 10, 0, 0, 250);
const [standing, changed] = POLICIES.map(policyHash) as [string, string, string];
const policy = { policyHash: standing };
const report = (sequence: number, label: string) => ({
  reportedAt: acceptedAt - 250 + sequence,
  sequence: 1_795_255_200_000_000 + sequence,
  reportHash: hex(`report ${label}`),
});
const content = (length: number) => ({ contentHash: hex(`content of ${length}`), length });
const at = (versionIndex: number, ms: number) => ({
  nonce: entryNonce(RECORD_NONCE, versionIndex),
  versionIndex,
  acceptedAt: acceptedAt + ms,
});

/** One chain with every kind and alert type, also kinds 9 to 11 and 13, which belong to other subjects. */
export const CHAIN: readonly EntryBody[] = [
  { kind: 'GENESIS', ...at(0, 0), ...policy, child: DEVICE },
  { kind: 'BASELINE', ...at(1, 0), ...policy, ...report(1, 'first'), ...content(1024) },
  { kind: 'LINK', ...at(0, 1000), ...policy, ...report(2, 'second'), ...content(1100) },
  { kind: 'BREAK', alertType: 'EMPTY', ...at(0, 2000), ...policy, ...report(3, 'gone') },
  {
    kind: 'BREAK',
    alertType: 'UNEXPECTED_CHANGE',
    ...at(0, 3000),
    ...policy,
    ...report(4, 'a'),
    ...content(0),
  },
  {
    kind: 'BREAK',
    alertType: 'HASH_BREACH',
    ...at(0, 4000),
    ...policy,
    ...report(5, 'b'),
    ...content(2 ** 40),
  },
  {
    kind: 'BREAK',
    alertType: 'ROLLED_FILE_CHANGED',
    ...at(0, 5000),
    ...policy,
    ...report(6, 'c'),
    ...content(7),
  },
  {
    kind: 'BREAK',
    alertType: 'HASH_BREACH_IN_REQ',
    ...at(0, 6000),
    ...policy,
    ...report(7, 'd'),
    ...content(8),
  },
  {
    kind: 'DISMISSED',
    ...at(0, 7000),
    ...policy,
    causeNumber: 5,
    actor: ACTOR,
    noteHash: noteHash(NOTES[0]),
  },
  {
    kind: 'RESET',
    ...at(0, 8000),
    ...policy,
    ...content(8),
    causeNumber: 7,
    actor: ACTOR,
    noteHash: noteHash(NOTES[2]),
  },
  { kind: 'BASELINE', ...at(1, 8000), ...policy, ...content(8) },
  { kind: 'POLICY', ...at(0, 9000), policyHash: changed, actor: ACTOR },
  { kind: 'ENABLED', ...at(0, 10_000), policyHash: changed, actor: ACTOR },
  { kind: 'DISABLED', ...at(0, 11_000), policyHash: changed, actor: ACTOR, noteHash: noteHash(NOTES[1]) },
  { kind: 'CHILD_ADDED', ...at(0, 12_000), policyHash: changed, actor: ACTOR, child: FILES[1] },
  { kind: 'CHILD_CHANGED', ...at(1, 12_000), policyHash: changed, actor: ACTOR, child: FILES[1] },
  { kind: 'CHILD_DELETED', ...at(2, 12_000), policyHash: changed, actor: ACTOR, child: FILES[1] },
  { kind: 'KEY', ...at(4_294_967_295, 13_000), policyHash: changed, ...content(32) },
  { kind: 'DELETED', ...at(0, 14_000), policyHash: changed, actor: ACTOR },
];

export const REPORTS = [
  {
    timestamp: '2026-11-21T10:00:00.000Z',
    change: 'FIRST',
    versions: [{ length: 1024, hash: hex('v0') }],
  },
  {
    timestamp: '2026-11-21T10:00:01.000Z',
    change: 'ROLLED',
    versions: [
      { length: 1024, hash: hex('v0') },
      { length: 9_007_199_254_740_991, hash: hex('v1') },
    ],
    archives: [{ name: 'app "1"\\\u2028\u0007\u007fé🔒.log', length: 0, hash: hex('') }],
  },
  { timestamp: '2026-11-21T10:00:02.000Z', change: 'MISSING', versions: [] },
  {
    timestamp: '2026-11-21T10:00:03.000Z',
    change: 'ERROR',
    error: { code: 'EACCES', message: "permission denied, open '/var/log/app.log'\n\t" },
  },
  {
    timestamp: '2026-11-21T10:00:04.000Z',
    change: 'UNCHANGED',
    versions: [{ length: 1024, hash: hex('v0') }],
    attributes: {
      kind: 'LINK',
      linkTarget: '/srv/Prüfung "1"\\\u2028.conf',
      mode: '4755',
      owner: 0,
      group: 4_294_967_295,
      size: 1024,
      mtime: '2026-11-21T09:59:59.999Z',
      inode: Number.MAX_SAFE_INTEGER,
      xattrs: hex('xattrs'),
    },
  },
  {
    timestamp: '2026-11-21T10:00:05.000Z',
    change: 'MISSING',
    versions: [],
    attributes: { kind: 'FOLDER' },
  },
] as const;

export const PARTITION_KEYS = [
  '21',
  'foobar',
  'a-little-bit-long-string',
  'a-little-bit-longer-string',
  'lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8',
  'abc',
  '',
  'é日本🔒',
  ORG,
  ...FILES,
] as const;
