import {
  change,
  dismiss,
  first,
  missing,
  notice,
  NOTHING,
  report,
  reset,
  restamp,
  unchanged,
  version,
  wait,
  type Step,
} from './records.ts';

const A = version('A', 100);
const B = version('B', 120);
const C = version('C', 140);
const D = version('D', 60);
const archives = [
  { name: 'app.log.2', ...B },
  { name: 'app.log.1', ...C },
];
const error = { code: 'EACCES', message: 'permission denied: „app.log“' };

/** Every row, every fact, every kind of entry of a file's chain, in one history. */
export const WHOLE_STORY: readonly Step[] = [
  notice('MALFORMED_DATA', 'VALIDATION_FAILED'),
  change({}),
  first(A),
  unchanged(A),
  report('ERROR', [], { error }),
  report('APPENDED', [A, B, B, C], { reread: false, instanceId: 'one', configVersion: 4 }),
  report('TRUNCATED', [C, D]),
  report('UNCHANGED', [D, A]),
  unchanged(B),
  unchanged(C),
  dismiss('HASH_BREACH'),
  unchanged(D),
  reset('HASH_BREACH'),
  missing,
  missing,
  reset('EMPTY'),
  report('REPLACED', [D, A]),
  restamp({ rolled: true, rolledFilenameRegexp: 'app\\.log\\.\\d+' }),
  report('ROLLED', [A, NOTHING], { archives }),
  report('ROLLED', [A, D], { archives }),
  report('ARCHIVE_CHANGED', [D], { archives }),
  change({ rolled: false, rolledFilenameRegexp: '', path: '/srv/other.log', enabled: false }),
  change({ enabled: true }),
  report('APPENDED', [D, A], { configVersion: 4 }),
  report('FIRST', [B]),
  change({ enabled: false }),
  wait(3_600_000),
  restamp({ enabled: true }),
  report('APPENDED', [B, C]),
  report('UNCHANGED', [C], { sequence: 5 }),
  report('UNCHANGED', [C], { sequence: 6 }),
  change({ monitoringFrequency: 'FOLLOW', category: 'MISSION_CRITICAL' }),
  first(C),
  report('TRUNCATED', [D]),
  change({ modifiable: false }),
  report('APPENDED', [D, A]),
  change({}, { deleted: true }),
  unchanged(A),
  dismiss('UNEXPECTED_CHANGE'),
];
