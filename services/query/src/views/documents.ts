/** Documents of the views. Times are milliseconds since the Unix epoch. `rev` orders the versions of a document. */
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

/** In views of the registry, `rev` is the version of the stream. */
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
  /** When labels or path last changed (ms); absent when they never did. */
  readonly describedAt?: number;
  readonly disabledNote: string | null;
  readonly disabledDate: number | null;
  readonly disabledBy: string | null;
  /** When monitoring was last switched on again; absent when it never was. */
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
  /** As in `DeviceView`. */
  readonly describedAt?: number;
  readonly creationDate: number;
  /** As in `DeviceView`. */
  readonly enabledAt?: number;
  /** When (ms) the absolute path last changed, and the configVersion with it; absent when it never did. */
  readonly moved?: { readonly at: number; readonly version: number };
  readonly deleted: boolean;
};

/** The enrolment without the token's hash. */
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

/** The service token without its hash. */
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

/** The webhook without its URL and routing key. */
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

/** A notification rule. Deleted rules stay, so that a deleted default rule does not come back. */
export type NotificationRuleView = NotificationRuleFields & {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly changedAt: number;
  readonly changedBy: string;
  readonly deleted: boolean;
};

/** `overAt` is the window's end (ms), past or future; with `awaitsReview`, somebody has to review it after `overAt`. */
export type MaintenanceView = Omit<MaintenanceEntity, 'kind'> & {
  readonly rev: number;
  readonly overAt: number;
  readonly awaitsReview: boolean;
};

/** `overAt` (ms) is when the list stops, or stopped, to apply. */
export type ExpectedView = Omit<ExpectedEntity, 'kind' | 'added'> & {
  readonly rev: number;
  readonly overAt: number;
};

/** One content of a list; ids keep the order of the list. */
export type ExpectedEntryView = {
  readonly id: string;
  readonly orgId: string;
  readonly listId: string;
  /** Key of organisation, path and content (`entryKey`). */
  readonly key: string;
  readonly path: string;
  readonly sha256: string;
};

/** Path and labels of a device or file before `until` (ms). `id` joins `subjectId` and `until`. */
export type PastStateView = {
  readonly id: string;
  readonly orgId: string;
  readonly subjectId: string;
  readonly until: number;
  readonly path: string;
  readonly labels: readonly string[];
};

/** Position of a record of the chain topic; the record holds the whole entry. */
export type ChainPosition = { readonly partition: number; readonly offset: number };

/** A link. Organisation and device are left out (the file has them), because links take most of the storage. */
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
  readonly whileDisabled?: true;
  readonly alertId?: string;
};

export type ChainEntryView = ChainPosition & {
  readonly id: string;
  readonly fileId: string;
  readonly number: number;
  readonly kind: EntryKind;
  readonly timestamp: number;
  readonly linkHash: string;
  /** The alert that the entry handled. */
  readonly alertId?: string;
};

/** In views of a file's records, `rev` is the file's. */
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

/** Assignee and number of comments of the alert `id`; `rev` is the version of the alert's stream. */
export type AlertWorkView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly assignee: { readonly userId: string; readonly email: string } | null;
  readonly comments: number;
};

/** One assignment or comment; `id` is the id of its event. */
export type AlertHistoryView = {
  readonly id: string;
  readonly orgId: string;
  readonly alertId: string;
  readonly kind: 'ASSIGNED' | 'COMMENTED';
  readonly timestamp: number;
  /** E-mail of the author. */
  readonly by: string | null;
  /** Text of the comment; null for an assignment. */
  readonly text: string | null;
  /** E-mail of the assignee; null when the alert was unassigned, or for a comment. */
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

/** The device's last contact: `rev` is the newest accepted time of its reports, heartbeats and refused data. */
export type DeviceActivityView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  /** As in `DeviceContactView`. */
  readonly at?: number;
};

/**
 * The device's first contact. `rev` is the negative of that time, so that the earlier of two records stays, whatever
 * their order.
 */
export type DeviceFirstContactView = { readonly id: string; readonly rev: number; readonly orgId: string };

/** `rev` is the time of the last notice that a call with an ended key of the device was refused. */
export type DeviceRefusalView = { readonly id: string; readonly rev: number; readonly orgId: string };

/** `id` and `rev` are the file's. */
export type FileParkingView = {
  readonly id: string;
  readonly rev: number;
  /** As in `Parking`. */
  readonly parking: number;
  /** Accepted time (ms) up to which reports of the file are judged; 0 when none is. */
  readonly judgedUntil: number;
  /** Number of dead letters not judged yet; 0 when the file is not parked. */
  readonly waiting: number;
};

/** `id` is `parkingCauseId` of the file and its parking. */
export type ParkingCauseView = { readonly id: string; readonly cause: string };

/** The device's last heartbeat; `rev` is its time of receipt, which rises with every one that is kept. */
export type DeviceContactView = {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly agentVersion: string;
  readonly instanceId: string;
  /** Time of receipt, if that is before `rev`: a clock that was ahead gave times that later heartbeats have to exceed. */
  readonly at?: number;
  /** Number of unsent reports at the agent. */
  readonly queue: number;
  /** Time of the last successful check of each file, by the server's clock. */
  readonly checkedAt: { readonly [fileId: string]: number };
  /** Reasons why the agent cannot check files, from the last heartbeat; absent when there are none. */
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
  /** ARC's state; null before the batch has a transaction. */
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

/** `batch` covers the records [from, to) of a partition of the chain topic. */
export type AnchorRangeView = {
  readonly id: string;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly batch: number;
};
