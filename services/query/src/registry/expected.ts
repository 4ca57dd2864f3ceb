/** Lists of expected changes (decision 059). Pure: time, ids and the files of the scope come in. */
import {
  isRealTime,
  LIMITS,
  type Covered,
  type CreateExpected,
  type EventType,
  type ExpectedEntity,
  type ExpectedState,
} from '@sentinel-node/contracts';
import { expectedEntries } from './checksums.ts';
import { invalid, refuse, UNCHANGED, type Decision, type EventDraft, type Stamp } from './decision.ts';
import { scopeSubjects } from './maintenance.ts';
import { note } from './notes.ts';

const DAY_MS = 24 * 3_600_000;

export type ExpectedCommand =
  | {
      readonly type: 'ADD';
      readonly id: string;
      readonly orgId: string;
      readonly fields: Omit<CreateExpected, 'scope'>;
      readonly scope: Covered;
    }
  | { readonly type: 'END' };

export function decideExpected(
  command: ExpectedCommand,
  list: ExpectedEntity | undefined,
  stamp: Stamp,
): Decision<ExpectedEntity> {
  if (command.type === 'ADD') return list === undefined ? add(command, stamp) : refuse('CONFLICT');
  if (list === undefined) return refuse('NOT_FOUND');
  if (expectedState(list, stamp.at) !== 'VALID') return UNCHANGED;
  const ended = { ...list, endedAt: stamp.at, added: [] };
  return changed(ended, 'END_EXPECTED_CHANGES', { expected: list.reason }, stamp);
}

/** @param now milliseconds since the Unix epoch */
export function expectedState(
  { endedAt, end }: Pick<ExpectedEntity, 'endedAt' | 'end'>,
  now: number,
): ExpectedState {
  if (endedAt !== null) return 'ENDED';
  return now >= end ? 'EXPIRED' : 'VALID';
}

function add(
  { id, orgId, fields, scope }: Extract<ExpectedCommand, { type: 'ADD' }>,
  stamp: Stamp,
): Decision<ExpectedEntity> {
  const { at, by } = stamp;
  const wrong = (message: string) => invalid({ path: '/end', message });
  if (!isRealTime(fields.end)) return wrong('is no date');
  const end = Date.parse(fields.end);
  if (end <= at) return wrong('lies in the past');
  if (end - at > LIMITS.expectedDaysMax * DAY_MS)
    return wrong(`must be at most ${LIMITS.expectedDaysMax} days from now`);
  const entries = expectedEntries(fields);
  if ('kind' in entries) return entries;
  if (entries.length > LIMITS.expectedEntries)
    return invalid({ path: '/checksums', message: `has more than ${LIMITS.expectedEntries} lines` });
  const entity: ExpectedEntity = {
    kind: 'EXPECTED',
    id,
    orgId,
    reason: fields.reason,
    scope,
    entries: entries.length,
    added: entries,
    creationDate: at,
    createdBy: by?.email ?? '',
    end,
    endedAt: null,
  };
  const what = { expected: fields.reason, entries: entries.length, to: fields.end };
  return changed(entity, 'ADD_EXPECTED_CHANGES', what, stamp);
}

function changed(
  entity: ExpectedEntity,
  type: EventType,
  what: Readonly<Record<string, unknown>>,
  { by }: Stamp,
): Decision<ExpectedEntity> {
  const text = note(by, what);
  const events = scopeSubjects([entity.scope]).map((of): EventDraft => ({ type, ...of, note: text }));
  return { kind: 'changed', entity, events, policies: [] };
}
