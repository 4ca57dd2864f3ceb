/** Answers as the console reads them: of this version or of a later one. */
import type { Readable } from '@sentinel-node/contracts';
import type * as contracts from '@sentinel-node/contracts';

export type Alert = Readable<contracts.Alert>;
export type AlertHistory = Readable<contracts.AlertHistory>;
export type AlertHistoryItem = Readable<contracts.AlertHistoryItem>;
export type AttributeChange = Readable<contracts.AttributeChange>;
export type ChainEntry = Readable<contracts.ChainEntry>;
export type Dashboard = Readable<contracts.Dashboard>;
export type Device = Readable<contracts.Device>;
export type DeviceListItem = Readable<contracts.DeviceListItem>;
export type Enrolment = Readable<contracts.Enrolment>;
export type Event = Readable<contracts.Event>;
export type Expected = Readable<contracts.Expected>;
export type ExpectedList = Readable<contracts.ExpectedList>;
export type File = Readable<contracts.File>;
export type FileBreak = Readable<contracts.FileBreak>;
export type FileHistory = Readable<contracts.FileHistory>;
export type FileVersion = Readable<contracts.FileVersion>;
export type Link = Readable<contracts.Link>;
export type Links = Readable<contracts.Links>;
export type Maintenance = Readable<contracts.Maintenance>;
export type MaintenanceList = Readable<contracts.MaintenanceList>;
export type NotificationRule = Readable<contracts.NotificationRule>;
export type NotificationRules = Readable<contracts.NotificationRules>;
export type RuleGaps = Readable<contracts.RuleGaps>;
export type ServiceToken = Readable<contracts.ServiceToken>;
export type Session = Readable<contracts.Session>;
export type UndeliveredMail = Readable<contracts.UndeliveredMail>;
export type User = Readable<contracts.User>;
export type Users = Readable<contracts.Users>;
export type Webhook = Readable<contracts.Webhook>;

/** Requests that send back what was read: words that this version does not know stay as they are. */
export type FileInput = Readable<contracts.FileInput>;
export type MaintenanceInput = Readable<contracts.MaintenanceInput>;
export type NotificationRuleFields = Readable<contracts.NotificationRuleFields>;
export type Role = Readable<contracts.Role>;
export type TemplateFile = Readable<contracts.TemplateFile>;
export type UpdateDevice = Readable<contracts.UpdateDevice>;
export type UpdateUser = Readable<contracts.UpdateUser>;
export type CreateEnrolment = Readable<contracts.CreateEnrolment>;
