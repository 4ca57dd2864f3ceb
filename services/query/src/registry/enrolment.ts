/** Enrolment tokens. Pure: time, ids and the hash of the token come in. */
import type {
  CreateEnrolment,
  DeviceEntity,
  EnrolmentEntity,
  EnrolmentState,
  TemplateFile,
} from '@sentinel-node/contracts';
import { HOST_PLACEHOLDER, LIMITS } from '@sentinel-node/contracts';
import { refuse, UNCHANGED, type Decision, type EventDraft, type Refused, type Stamp } from './decision.ts';
import { applyFiles, type FileChange } from './files.ts';
import { labelProblem } from './labels.ts';
import { note } from './notes.ts';

/** At most one refused use of a token becomes an event in this time, in milliseconds. */
export const REFUSAL_TOLD_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Reason why a use was refused. */
export type RefusedUse = 'WRONG_TOKEN' | 'DEVICE_GONE' | 'LIMIT_REACHED' | Exclude<EnrolmentState, 'USABLE'>;

export type EnrolmentCommand =
  | {
      readonly type: 'MAKE';
      readonly id: string;
      readonly orgId: string;
      readonly tokenHash: string;
      readonly fields: CreateEnrolment;
    }
  | { readonly type: 'END' }
  | { readonly type: 'REFUSE'; readonly code: RefusedUse; readonly host: string };

export function decideEnrolment(
  command: EnrolmentCommand,
  enrolment: EnrolmentEntity | undefined,
  stamp: Stamp,
): Decision<EnrolmentEntity> {
  if (command.type === 'MAKE') return enrolment === undefined ? make(command, stamp) : refuse('CONFLICT');
  if (enrolment === undefined) return refuse('NOT_FOUND');
  if (command.type === 'END') return end(enrolment, stamp);
  const { at } = stamp;
  if (at < (enrolment.refusalToldAt ?? -Infinity) + REFUSAL_TOLD_MS) return UNCHANGED;
  const { code, host } = command;
  const what = { enrolment: enrolment.name, code, host };
  return changed({ ...enrolment, refusalToldAt: at }, 'REFUSE_ENROLMENT', note(null, what));
}

/** @param used number of devices that the token has made */
export function enrolmentState(
  { endedAt, expiresAt, uses }: Pick<EnrolmentEntity, 'endedAt' | 'expiresAt' | 'uses'>,
  used: number,
  now: number,
): EnrolmentState {
  if (endedAt !== null) return 'ENDED';
  if (now >= expiresAt) return 'EXPIRED';
  return used >= uses ? 'USED_UP' : 'USABLE';
}

/** Returns the name of a new device. @param host as the agent gives it */
export function enrolledName({ namePattern }: Pick<EnrolmentEntity, 'namePattern'>, host: string): string {
  return [...namePattern.replaceAll(HOST_PLACEHOLDER, () => host)].slice(0, LIMITS.nameCharacters).join('');
}

/** Returns the files of a template as changes of a new device. @param newId gives ids in order */
export function templateFiles(files: readonly TemplateFile[], newId: () => string): FileChange[] {
  return files.map((input) => ({ id: newId(), isNew: true, input }));
}

/** Returns why no device can be made by the template; undefined for a valid template. */
export function templateProblem(
  device: DeviceEntity,
  files: readonly FileChange[],
  stamp: Stamp,
): Refused | undefined {
  const twice = labelProblem(device, '/template');
  if (twice !== undefined) return twice;
  const applied = applyFiles(device, device.path, files, stamp);
  if (!('kind' in applied)) return undefined;
  const { errors } = applied;
  if (errors === undefined) return applied;
  return { ...applied, errors: errors.map(({ path, message }) => ({ path: `/template${path}`, message })) };
}

function make(
  { id, orgId, tokenHash, fields }: Extract<EnrolmentCommand, { type: 'MAKE' }>,
  { at, by }: Stamp,
): Decision<EnrolmentEntity> {
  const { name, namePattern = HOST_PLACEHOLDER, uses = 1, template } = fields;
  const expiresAt = at + (fields.expiresInDays ?? LIMITS.enrolmentDaysDefault) * DAY_MS;
  const entity: EnrolmentEntity = {
    kind: 'ENROLMENT',
    id,
    orgId,
    name,
    namePattern,
    template,
    tokenHash,
    uses,
    expiresAt,
    creationDate: at,
    createdBy: by?.email ?? '',
    endedAt: null,
    refusalToldAt: null,
  };
  const what = { enrolment: name, uses, expires: new Date(expiresAt).toISOString() };
  return changed(entity, 'CREATE_ENROLMENT', note(by, what));
}

function end(enrolment: EnrolmentEntity, { at, by }: Stamp): Decision<EnrolmentEntity> {
  if (enrolment.endedAt !== null) return UNCHANGED;
  return changed({ ...enrolment, endedAt: at }, 'END_ENROLMENT', note(by, { enrolment: enrolment.name }));
}

function changed(entity: EnrolmentEntity, type: EventDraft['type'], text: string): Decision<EnrolmentEntity> {
  const event = { type, deviceId: null, fileId: null, note: text };
  return { kind: 'changed', entity, events: [event], policies: [] };
}
