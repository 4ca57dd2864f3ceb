import { createHash } from 'node:crypto';
import {
  EMPTY_CONTENT_HASH,
  encodeFileEvent,
  type AlertType,
  type Attributes,
  type Change,
  type FileEventHeader,
  type HandledStatus,
  type Policy,
  type PolicyRecord,
  type Report,
  type Version,
} from '@sentinel-node/contracts';

export const LOG_ID = new Uint8Array(32).fill(7);
export const ORG = '01932b5e-7c00-7a11-8b22-000000000001';
export const DEVICE = '01932b5e-7c00-7a11-8b22-000000000002';
export const FILE = '01932b5e-7c00-7a11-8b22-000000000003';
export const PERSON = '01932b5e-7c00-7a11-8b22-000000000004';
export const START_MS = Date.UTC(2026, 10, 21, 10);

export const POLICY: Policy = {
  configVersion: 3,
  modifiable: true,
  rolled: false,
  enabled: true,
  monitoringFrequency: 'PROBE',
  category: 'STANDARD',
  path: '/srv/app.log',
  rolledFilenameRegexp: '',
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const labels = new Map<string, string>([[EMPTY_CONTENT_HASH, 'NOTHING']]);

/** A version with contents called `label`. */
export function version(label: string, length = 100): Version {
  const hash = sha256(label);
  labels.set(hash, label);
  return { length, hash };
}
export const NOTHING: Version = { length: 0, hash: EMPTY_CONTENT_HASH };
export const labelOf = (hash: string): string => labels.get(hash) ?? hash;

/** A record of file-events before it has an offset. */
export interface Made {
  readonly key: string;
  readonly id: string;
  readonly body: Uint8Array;
}

/** What a step can ask of the story so far. */
export interface Story {
  readonly fileId: string;
  policy: Policy;
  acceptedAtMs: number;
  sequence: number;
  records: number;
  /** That records are stamped with. */
  readonly rules: number;
  openAlert(type: AlertType): string;
  occurrencesOf(type: AlertType): number;
}

export type Step = (story: Story) => Made | undefined;

export function stamp(story: Story) {
  const n = ++story.records;
  return {
    v: 1 as const,
    rules: story.rules,
    orgId: ORG,
    deviceId: DEVICE,
    acceptedAt: (story.acceptedAtMs += 1000),
    nonce: sha256(`nonce ${story.fileId} ${n}`).slice(0, 32),
  };
}

export function made(header: FileEventHeader, report?: string): Made {
  const body = encodeFileEvent(
    JSON.stringify(header),
    report === undefined ? undefined : new TextEncoder().encode(report),
  );
  return {
    key: header.fileId ?? header.deviceId,
    id: sha256(`${JSON.stringify(header)}`).slice(0, 26),
    body,
  };
}

/** A report with the next sequence, the agent's clock a second on, under the story's policy. */
export function report(change: Change, versions: readonly Version[], fields: Partial<Report> = {}): Step {
  return (story) => {
    const header = { kind: 'report' as const, ...stamp(story), fileId: story.fileId, policy: story.policy };
    const timestamp = new Date(header.acceptedAt - 250).toISOString();
    const body = { sequence: ++story.sequence, timestamp, change, versions, ...fields };
    story.sequence = Math.max(story.sequence, body.sequence);
    return made(header, JSON.stringify(body));
  };
}

/** The same contents, with what else is told of the file. */
export const told = (version: Version, attributes: Attributes): Step =>
  report('UNCHANGED', [version], { attributes });

/** A person has the attributes of the file watched, or no longer. */
export function watch(on: boolean): Step {
  return (story) => {
    const { watchAttributes: _, ...rest } = story.policy;
    story.policy = on ? { ...rest, watchAttributes: true } : rest;
    return change({})(story);
  };
}

export const first = (version: Version): Step => report('FIRST', [version]);
export const missing: Step = report('MISSING', []);
export const unchanged = (version: Version): Step => report('UNCHANGED', [version]);

/** The registry changed the policy: a policy record, and later reports are stamped with it. */
export function change(fields: Partial<Policy>, extra: Partial<PolicyRecord> = {}): Step {
  return (story) => {
    const before = story.policy;
    story.policy = { ...story.policy, configVersion: story.policy.configVersion + 1, ...fields };
    const commandId = `device:${DEVICE}:${story.policy.configVersion}`;
    const rest = { fileId: story.fileId, commandId, policy: story.policy, deleted: false, actor: PERSON };
    const rebaseline = story.rules >= 3 &&
      isRebaseline(before, story.policy) && { rebaseline: true as const };
    return made({ kind: 'policy', ...stamp(story), ...rest, ...rebaseline, ...extra });
  };
}

const isRebaseline = (before: Policy, after: Policy): boolean =>
  before.path !== after.path || before.monitoringFrequency !== after.monitoringFrequency;

/** As `change`, but the reports come before the policy record does. */
export function restamp(fields: Partial<Policy>): Step {
  return (story) => {
    story.policy = { ...story.policy, configVersion: story.policy.configVersion + 1, ...fields };
    return undefined;
  };
}

/** Time passes between two records. */
export function wait(ms: number): Step {
  return (story) => {
    story.acceptedAtMs += ms;
    return undefined;
  };
}

interface ClaimFields {
  readonly note?: string;
  /** Occurrences that the person saw; all of them unless given. Records of rules 1 and 2 have none. */
  readonly seen?: number | undefined;
}

export function claim(status: HandledStatus, alertType: AlertType, fields: ClaimFields = {}): Step {
  return (story) => {
    const alertId = story.openAlert(alertType);
    const claimId = `claim-${alertId}`;
    const { note = 'expected' } = fields;
    const all = story.rules >= 3 ? story.occurrencesOf(alertType) : undefined;
    const occurrences = 'seen' in fields ? fields.seen : all;
    return made({
      kind: 'claim',
      ...stamp(story),
      fileId: story.fileId,
      claimId,
      alertId,
      status,
      note,
      actor: PERSON,
      actorEmail: 'ada@example.org',
      ...(occurrences === undefined ? {} : { occurrences }),
    });
  };
}
export const dismiss = (alertType: AlertType): Step => claim('RESOLVED', alertType);
export const reset = (alertType: AlertType): Step => claim('DEACTIVATED', alertType);

export function notice(type: 'MALFORMED_DATA' | 'AGENT_ERROR', code: string, ofDevice = false): Step {
  return (story) => {
    const stamped = stamp(story);
    const fileId = ofDevice ? null : story.fileId;
    return made({
      kind: 'notice',
      ...stamped,
      fileId,
      noticeId: `n${story.records}-${story.fileId}`,
      type,
      code,
      message: 'm',
    });
  };
}
