/** Documents of the views. Times are milliseconds since the Unix epoch. `rev` is the guard of the one source. */
import type {
  AlertStatus,
  AlertType,
  AnchorRecord,
  AttributeChange,
  Category,
  DeviceLimits,
  DeviceTemplate,
  EntryKind,
  ExpectedEntity,
  EventType,
  FileState,
  FileType,
  Frequency,
  NotificationRuleFields,
  MaintenanceEntity,
  Role,
  WebhookDisabled,
  WebhookShape,
} from '@sentinel-node/contracts';

/** `rev` of the registry's views: the version of the stream. */
export type OrganizationView = {
  readonly id: string;
  readonly rev: number;
  readonly name: string;
  readonly stripeId: string | null;
  readonly creationDate: number;
};

export type UserView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly name: string;
  readonly emailAddress: string;
  readonly role: Role;
  readonly active: boolean;
  readonly creationDate: number;
  readonly deleted: boolean;
};

export type DeviceView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly healthInterval: number;
  readonly enabled: boolean;
  readonly category: Category;
  readonly labels?: readonly string[];
  /** When labels or path were last changed (ms); absent: never. */
  readonly describedAt?: number;
  readonly disabledNote: string | null;
  readonly disabledDate: number | null;
  readonly disabledBy: string | null;
  /** When monitoring was last switched on again; absent: never since the creation. */
  readonly enabledAt?: number;
  readonly creationDate: number;
  readonly configVersion: number;
  readonly keyVersion: number;
  readonly filesCount: number;
  readonly deleted: boolean;
};

export type FileView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly deviceId: string;
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly type: FileType;
  readonly monitoringFrequency: Frequency;
  /** Seconds. */
  readonly interval?: number;
  readonly rolled: boolean;
  readonly rolledFilenameRegexp?: string;
  readonly modifiable: boolean;
  readonly watchAttributes?: boolean;
  readonly enabled: boolean;
  readonly labels?: readonly string[];
  /** As of a device. */
  readonly describedAt?: number;
  readonly creationDate: number;
  /** As of a device. */
  readonly enabledAt?: number;
  readonly deleted: boolean;
};

/** Without the hash of the token. */
export type EnrolmentView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly name: string;
  readonly namePattern: string;
  readonly template: DeviceTemplate;
  readonly uses: number;
  readonly expiresAt: number;
  readonly creationDate: number;
  readonly createdBy: string;
  readonly endedAt: number | null;
  readonly isEnded: boolean;
};

/** Without the hash of the token. */
export type ServiceTokenView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly name: string;
  readonly role: 'REGULAR' | 'ADMIN';
  readonly readOnly: boolean;
  /** Absent: the whole organisation. */
  readonly limits?: DeviceLimits;
  readonly expiresAt: number;
  readonly creationDate: number;
  readonly createdBy: string;
  readonly endedAt: number | null;
  readonly isEnded: boolean;
};

/** Without URL and routing key. */
export type WebhookView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly name: string;
  readonly shape: WebhookShape;
  readonly shownUrl: string;
  readonly enabled: boolean;
  readonly disabledBecause: WebhookDisabled | null;
  readonly previousSecret: { readonly version: number; readonly validUntil: number } | null;
  readonly creationDate: number;
  readonly createdBy: string;
  readonly isDeleted: boolean;
};

/** Deleted rules stay, so that a deleted default does not come back. */
export type NotificationRuleView = NotificationRuleFields & {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly changedAt: number;
  readonly changedBy: string;
  readonly deleted: boolean;
};

/** `overAt` (ms): when it was over, or will be; `awaitsReview`: from then on somebody has to review it. */
export type MaintenanceView = Omit<MaintenanceEntity, 'kind'> & {
  readonly rev: number;
  readonly overAt: number;
  readonly awaitsReview: boolean;
};

/** `overAt` (ms): when it stops, or stopped, to say anything. */
export type ExpectedView = Omit<ExpectedEntity, 'kind' | 'added'> & {
  readonly rev: number;
  readonly overAt: number;
};

/** One content of a list; ids are in its order. */
export type ExpectedEntryView = {
  readonly id: string;
  readonly orgId: string;
  readonly listId: string;
  /** Of organisation, path and content (`entryKey`). */
  readonly key: string;
  readonly path: string;
  readonly sha256: string;
};

/** What a device or a file was before `until` (ms), since the change before. `id`: of both. */
export type PastStateView = {
  readonly id: string;
  readonly orgId: string;
  readonly subjectId: string;
  readonly until: number;
  readonly path: string;
  readonly labels: readonly string[];
};

/** Where the record of the chain topic stands; the whole entry is read from there. */
export type ChainPosition = { readonly partition: number; readonly offset: number };

/** Organisation and device are those of the file: they are left out, since links are most of what is stored. */
export type LinkView = ChainPosition & {
  readonly id: string;
  readonly fileId: string;
  readonly number: number;
  readonly kind: 'BASELINE' | 'LINK' | 'BREAK';
  readonly hash: string | null;
  readonly length: number | null;
  readonly timestamp: number;
  readonly linkHash: string;
  readonly firstHash?: true;
  readonly alertId?: string;
};

export type ChainEntryView = ChainPosition & {
  readonly id: string;
  readonly fileId: string;
  readonly number: number;
  readonly kind: EntryKind;
  readonly timestamp: number;
  readonly linkHash: string;
  /** The alert that it handled. */
  readonly alertId?: string;
};

/** `rev` of what follows from a file's records: the file's. */
export type AlertView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly deviceId: string;
  readonly fileId: string;
  readonly timestamp: number;
  readonly status: AlertStatus;
  readonly type: AlertType;
  readonly hashId: string;
  readonly occurrences: number;
  readonly lastTimestamp: number;
  readonly overrideUser: string | null;
  readonly overrideUserEmail: string | null;
  readonly handledAt: number | null;
  readonly note: string | null;
  readonly attributeChanges?: readonly AttributeChange[];
};

/** What people do with the alert `id` beside handling it; `rev` is the version of its stream. */
export type AlertWorkView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly assignee: { readonly userId: string; readonly email: string } | null;
  readonly comments: number;
};

/** One assignment or comment; `id` is its event's. */
export type AlertHistoryView = {
  readonly id: string;
  readonly orgId: string;
  readonly alertId: string;
  readonly kind: 'ASSIGNED' | 'COMMENTED';
  readonly timestamp: number;
  /** E-mail. */
  readonly by: string | null;
  /** Of a comment. */
  readonly text: string | null;
  /** E-mail; null: nobody, or it is a comment. */
  readonly to: string | null;
};

/** The report that raised the alert `id`, as received. */
export type AlertRequestView = { readonly id: string; readonly request: string };

export type EventView = {
  readonly id: string;
  readonly orgId: string;
  readonly deviceId: string | null;
  readonly fileId: string | null;
  readonly type: EventType;
  readonly timestamp: number;
  readonly alertId: string | null;
  readonly hashId: string | null;
  readonly note: string;
};

export type FileStateView = FileState & {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly deviceId: string;
};

/** `rev` is the newest accepted time of anything that the device sent. */
export type DeviceActivityView = { readonly id: string; readonly rev: number; readonly orgId: string };

/**
 * When the device was first heard of. `rev` is that time with a minus, so that of two records the earlier one stays,
 * in whichever order they come.
 */
export type DeviceFirstContactView = { readonly id: string; readonly rev: number; readonly orgId: string };

/** `rev` is when it was last told that a call with an ended key of the device was refused. */
export type DeviceRefusalView = { readonly id: string; readonly rev: number; readonly orgId: string };

/** `id` is the file's, `rev` the file's. */
export type FileParkingView = {
  readonly id: string;
  readonly rev: number;
  /** As of `Parking`. */
  readonly parking: number;
  /** Accepted time up to which the file was judged; 0: never. */
  readonly judgedUntil: number;
  /** Dead letters that are not judged; 0: the file is not parked. */
  readonly waiting: number;
};

/** `id` is of the file and its parking (`parkingCauseId`). */
export type ParkingCauseView = { readonly id: string; readonly cause: string };

/** The newest heartbeat; `rev` is when it was received. */
export type DeviceContactView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly agentVersion: string;
  readonly instanceId: string;
  /** Reports that wait at the agent. */
  readonly queue: number;
  /** Last successful check of each file, in the server's time. */
  readonly checkedAt: { readonly [fileId: string]: number };
  /** Why files are not looked at, by the last heartbeat; left out when all are. */
  readonly problems?: { readonly [fileId: string]: string };
};

/** `id` is the batch number as text; `rev` the anchor record's. */
export type AnchorBatchView = {
  readonly id: string;
  readonly rev: number;
  readonly batch: number;
  readonly closedAt: number;
  readonly leafCount: number;
  readonly txid: string | null;
  /** ARC's word; null before there is a transaction. */
  readonly status: string | null;
  readonly blockHash: string | null;
  readonly blockHeight: number | null;
  readonly confirmations: number;
};

/** `id` is the batch number as text; `rev` the anchor record's. */
export type AnchorProofView = Pick<AnchorRecord, 'rev' | 'cut' | 'transaction'> & {
  readonly id: string;
  readonly evidence: NonNullable<AnchorRecord['evidence']>;
};

/** Records [from, to) of a partition of the chain topic stand in `batch`. */
export type AnchorRangeView = {
  readonly id: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly batch: number;
};
