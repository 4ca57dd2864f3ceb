/** Compact bodies of records (docs/formats.md), with their contents. */
import {
  encodeChainRecord,
  fromHex,
  readPlainReport,
  reportBytes,
  reportEnd,
  reportStart,
  toHex,
  utf8,
  writeReport,
  type ChainRecord,
  type Entry,
  type ReportHeader,
} from '../src/index.ts';

const [ORG, DEVICE, FILE, PERSON] = [1, 2, 3, 4].map((n) => `01932b5e-7c00-7a11-8b22-00000000000${n}`) as [
  string,
  string,
  string,
  string,
];
const hashOf = (byte: string) => byte.repeat(32);
const NOW_MS = 1_795_255_200_250;
const SEQUENCE = 1_795_255_200_000_001;

const header: ReportHeader = {
  kind: 'report',
  v: 1,
  rules: 2,
  orgId: ORG,
  deviceId: DEVICE,
  acceptedAt: NOW_MS,
  nonce: '63abd0ffcf621251e6b26043d6f987f9',
  fileId: FILE,
  policy: {
    configVersion: 300,
    modifiable: true,
    rolled: true,
    enabled: true,
    monitoringFrequency: 'FOLLOW',
    category: 'ADVANCED',
    path: '/var/log/größe.log',
    rolledFilenameRegexp: 'größe\\.log\\.\\d+',
    watchAttributes: true,
  },
};

const versions = [
  { length: 1_024, hash: hashOf('a1') },
  { length: 1_144, hash: hashOf('b2') },
];
const timestamp = '2026-11-21T10:00:00.001Z';
const substance = { sequence: SEQUENCE, timestamp, change: 'APPENDED', versions };
const reports = [
  JSON.stringify({ fileId: FILE, ...substance, reread: true, configVersion: 300, instanceId: 'agent-1' }),
  JSON.stringify({ ...substance, change: 'MISSING', versions: [], reread: false }),
  JSON.stringify({ ...substance, error: { code: 'EACCES', message: '' }, change: 'ERROR', versions: [] }),
  ` ${JSON.stringify(substance)}`,
];

function reportVector(report: string) {
  const bytes = utf8(report);
  const packed = readPlainReport(bytes, 0, bytes.length)?.packed;
  const parts = {
    start: reportStart(header),
    acceptedAt: header.acceptedAt,
    nonce: fromHex(header.nonce),
    end: reportEnd(FILE, header.policy),
    report: packed ?? bytes,
    isPacked: packed !== undefined,
  };
  const body = new Uint8Array(reportBytes(parts));
  writeReport(parts, body);
  return { header, report, isPacked: parts.isPacked, body: toHex(body) };
}

const link: Entry = {
  id: '01M7YRRTFTC5TW2FP764QC7M0V',
  number: 1,
  kind: 'LINK',
  acceptedAt: NOW_MS,
  versionIndex: 0,
  policyHash: hashOf('c3'),
  reportedAt: NOW_MS - 249,
  sequence: SEQUENCE,
  reportHash: hashOf('d4'),
  contentHash: hashOf('b2'),
  length: 1_144,
  nonce: '0dab166aa3c494e40d8c17ab4735e8a9',
  linkHash: hashOf('e5'),
  firstHash: false,
};
const reset: Entry = {
  id: link.id,
  number: 2,
  kind: 'RESET',
  acceptedAt: NOW_MS,
  versionIndex: 0,
  policyHash: hashOf('c3'),
  contentHash: hashOf('b2'),
  length: 1_144,
  actor: PERSON,
  noteHash: hashOf('f6'),
  causeNumber: 1,
  nonce: link.nonce,
  linkHash: hashOf('a7'),
  firstHash: false,
  alertId: 'an-alert',
};

const record: ChainRecord = {
  v: 1,
  rules: 2,
  orgId: ORG,
  deviceId: DEVICE,
  fileId: FILE,
  rev: 2,
  timestamp: NOW_MS,
  category: 'STANDARD',
  entries: [link],
  alerts: [],
  events: [],
  file: {
    length: 1_144,
    hash: hashOf('b2'),
    missing: false,
    sequence: SEQUENCE,
    configVersion: 300,
    number: 1,
    linkHash: hashOf('e5'),
    lastLinkId: link.id,
    activeAlerts: 0,
    checkedAt: NOW_MS,
    contactAt: NOW_MS,
  },
};

const records: ChainRecord[] = [
  record,
  { ...record, entries: [], file: { ...record.file!, missing: true, attributesTold: true, checkedAt: null } },
  {
    ...record,
    entries: [reset],
    events: [{ id: link.id, type: 'ROLLING', alertId: null, hashId: null, note: 'ß' }],
  },
  { ...record, fileId: null, entries: [], file: null, category: 'MISSION_CRITICAL' },
];

export const recordVectors = () => ({
  note: 'compact bodies: of reports on file-events, and of records of the chain topic',
  reports: reports.map(reportVector),
  chain: records.map((one) => ({ record: one, body: toHex(encodeChainRecord(one)) })),
});
