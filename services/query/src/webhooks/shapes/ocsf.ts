/**
 * Makes events of the Open Cybersecurity Schema Framework 1.3 (schema.ocsf.io): File System Activity (1001)
 * for what happened with a file, Detection Finding (2004) for all others. Pure.
 */
import { Type, type Static } from 'typebox';
import { NOTICE_TYPES, type Notice, type NoticeType } from '../../notifications/index.ts';
import { linkOf, type ShapeOptions } from './facts.ts';
import { endsIncident, incidentOf } from './incidents.ts';

const VERSION = '1.3.0';
const FILE_ACTIVITY = { category: 1, class: 1001 } as const;
const DETECTION_FINDING = { category: 2, class: 2004 } as const;

const UPDATE = { id: 3, name: 'Update' } as const;
const DELETE = { id: 4, name: 'Delete' } as const;
const OTHER = 99;
/** Activities of a finding. */
const CREATE = { id: 1, name: 'Create' } as const;
const CLOSE = { id: 3, name: 'Close' } as const;

const SEVERITIES = { info: 1, warning: 3, critical: 5 } as const;
const REGULAR_FILE = 1;
const UNKNOWN_DEVICE = 0;
const STATUS = { open: 1, closed: 4 } as const;

const Whole = Type.Integer({ minimum: 0 });
const Text = Type.String({ minLength: 1 });
const Device = Type.Object({ type_id: Type.Literal(UNKNOWN_DEVICE), uid: Text, name: Type.Optional(Text) });
const File = Type.Object({ type_id: Type.Literal(REGULAR_FILE), name: Text, path: Text, uid: Text });
const base = {
  category_uid: Whole,
  class_uid: Whole,
  activity_id: Whole,
  activity_name: Text,
  type_uid: Whole,
  time: Type.Integer({ description: 'milliseconds since the Unix epoch' }),
  severity_id: Type.Enum([1, 3, 5]),
  message: Text,
  metadata: Type.Object({
    version: Type.Literal(VERSION),
    uid: Text,
    event_code: Type.Enum([...NOTICE_TYPES]),
    correlation_uid: Text,
    tenant_uid: Text,
    profiles: Type.Tuple([Type.Literal('host')]),
    product: Type.Object({ vendor_name: Text, name: Text, url_string: Text }),
  }),
};
export const FileActivitySchema = Type.Object({
  ...base,
  category_uid: Type.Literal(FILE_ACTIVITY.category),
  class_uid: Type.Literal(FILE_ACTIVITY.class),
  activity_id: Type.Enum([UPDATE.id, DELETE.id, OTHER]),
  actor: Type.Object({ user: Type.Object({ name: Text }) }),
  device: Device,
  file: File,
});
export const DetectionFindingSchema = Type.Object({
  ...base,
  category_uid: Type.Literal(DETECTION_FINDING.category),
  class_uid: Type.Literal(DETECTION_FINDING.class),
  activity_id: Type.Enum([CREATE.id, CLOSE.id]),
  status_id: Type.Enum([STATUS.open, STATUS.closed]),
  finding_info: Type.Object({ uid: Text, title: Text, types: Type.Array(Text), src_url: Text }),
  device: Type.Optional(Device),
  evidences: Type.Optional(Type.Array(Type.Object({ file: File }))),
});
export const OcsfSchema = Type.Union([FileActivitySchema, DetectionFindingSchema]);
type OcsfEvent = Static<typeof OcsfSchema>;

/** Notices that are a file activity; all others are findings. */
const FILE_TYPES: ReadonlySet<NoticeType> = new Set(['alert.continued', 'file.deleted']);

export function ocsfEvent(notice: Notice, options: ShapeOptions): OcsfEvent {
  const { type, device, file } = notice;
  if (FILE_TYPES.has(type) && device !== undefined && file !== undefined)
    return fileActivity(notice, device, file, options);
  return finding(notice, options);
}

function fileActivity(
  notice: Notice,
  device: NonNullable<Notice['device']>,
  file: NonNullable<Notice['file']>,
  options: ShapeOptions,
): OcsfEvent {
  const activity = activityOf(notice);
  return {
    ...common(notice, options),
    category_uid: FILE_ACTIVITY.category,
    class_uid: FILE_ACTIVITY.class,
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: FILE_ACTIVITY.class * 100 + activity.id,
    // The class requires an actor, but the system does not know who changed a file.
    actor: { user: { name: notice.actor || 'unknown' } },
    device: deviceOf(device),
    file: fileOf(file),
  };
}

function activityOf({ type, alert }: Notice): { readonly id: 3 | 4 | 99; readonly name: string } {
  if (type !== 'alert.continued') return { id: OTHER, name: type };
  return alert?.type === 'EMPTY' ? DELETE : UPDATE;
}

function finding(notice: Notice, options: ShapeOptions): OcsfEvent {
  const { id, type, text, device, file, alert } = notice;
  const activity = endsIncident(notice) ? CLOSE : CREATE;
  return {
    ...common(notice, options),
    category_uid: DETECTION_FINDING.category,
    class_uid: DETECTION_FINDING.class,
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: DETECTION_FINDING.class * 100 + activity.id,
    status_id: activity === CLOSE ? STATUS.closed : STATUS.open,
    finding_info: {
      uid: alert?.id ?? incidentOf(notice) ?? id,
      title: text,
      types: [alert?.type ?? type],
      src_url: linkOf(notice, options),
    },
    ...(device && { device: deviceOf(device) }),
    ...(file && { evidences: [{ file: fileOf(file) }] }),
  };
}

function common(
  { id, type, orgId, at, severity, orderKey, text }: Notice,
  { publicUrl }: ShapeOptions,
): Pick<OcsfEvent, 'time' | 'severity_id' | 'message' | 'metadata'> {
  return {
    time: Date.parse(at),
    severity_id: SEVERITIES[severity],
    message: text,
    metadata: {
      version: VERSION,
      uid: id,
      event_code: type,
      correlation_uid: orderKey,
      tenant_uid: orgId,
      // A finding has a device in this profile only.
      profiles: ['host'],
      product: { vendor_name: 'Sentinel Node', name: 'Sentinel Node', url_string: publicUrl },
    },
  };
}

const deviceOf = ({ id, name }: NonNullable<Notice['device']>): Static<typeof Device> => ({
  type_id: UNKNOWN_DEVICE,
  uid: id,
  ...(name !== '' && { name }),
});

const fileOf = ({ id, path }: NonNullable<Notice['file']>): Static<typeof File> => ({
  type_id: REGULAR_FILE,
  name: path.split(/[/\\]/).at(-1) || path,
  path,
  uid: id,
});
