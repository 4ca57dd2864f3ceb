/** Limits that several services and clients share. Units are in the names. */
export const LIMITS = {
  /** One report, as received. */
  reportBytes: 1_048_576,
  /** 10,000 files with a problem each and 100 events have some 1.2 MiB. */
  heartbeatBytes: 2_097_152,
  /** One bulk body, also after decompression. */
  bulkBytes: 16 * 1_048_576,
  bulkLines: 10_000,
  versionsPerReport: 1_000,
  archivesPerReport: 100,
  /** One record of the log: a report in its envelope, or a whole device or organisation after a change. */
  logRecordBytes: 4 * 1_048_576,
  /** A device, an organisation or another entity of the registry as JSON; beyond this it cannot grow. */
  entityBytes: 5 * 1_048_576,
  /** A record of the registry as JSON, before compression: an entity with what a change removed, and the change's events. */
  registryRecordBytes: 11 * 1_048_576,
  /**
   * The commit that deletes a device, as JSON: the record with a policy for each file. Beyond this the device cannot grow. A document
   * of MongoDB has at most 16 MiB, as BSON, which takes no more than JSON.
   */
  commitBytes: 16 * 1_048_576 - 65_536,
  /** How far a report's sequence may lie ahead of the server's clock. */
  sequenceAheadMs: 24 * 3_600_000,
  filesPerDevice: 10_000,
  devicesPerOrganization: 10_000,
  usersPerOrganization: 10_000,
  /** Usable enrolment tokens. */
  enrolmentsPerOrganization: 100,
  /** Usable service tokens. */
  serviceTokensPerOrganization: 100,
  serviceTokenDaysDefault: 90,
  serviceTokenDaysMax: 365,
  /** Devices that a limited service token names individually. */
  serviceTokenDevices: 50,
  /** Labels that a limited service token names. */
  serviceTokenLabels: 20,
  /** Devices that a limited service token may access, by name and by label; beyond this its lists are refused. */
  serviceTokenReach: 1_000,
  webhooksPerOrganization: 20,
  webhookUrlCharacters: 2_000,
  /** Attempts in the log of one webhook: the newest ones. */
  webhookAttempts: 200,
  /** How long the old secret of a webhook stays valid after a rotation, in hours. */
  webhookSecretOverlapHours: 24,
  notificationRules: 50,
  /** People that one rule names. */
  notificationRecipients: 50,
  /** Mail addresses, and webhooks, that one rule names. */
  notificationAddresses: 20,
  /** Devices, and files, that one rule names. */
  notificationSubjects: 100,
  /** Labels that one rule names. */
  notificationLabels: 20,
  /** Files of the template of an enrolment token. */
  enrolmentFiles: 200,
  /** Devices that one token can enrol. */
  enrolmentUses: 10_000,
  enrolmentDaysDefault: 7,
  enrolmentDaysMax: 90,
  labelsPerDevice: 32,
  labelsPerFile: 8,
  labelKeyCharacters: 63,
  labelValueCharacters: 128,
  /** Devices, and files, that a window or a list of expected changes names individually. */
  scopeItems: 200,
  scopeLabels: 20,
  /** Maintenance windows that have not ended. */
  windowsPerOrganization: 100,
  windowDaysMax: 30,
  /** Changes of the times or the scope of one window. */
  windowChanges: 10,
  weeklyMinutesMax: 1_440,
  /** Lists of expected changes that have not ended. */
  expectedPerOrganization: 100,
  expectedEntries: 10_000,
  /** One request with a list. */
  expectedBytes: 1_048_576,
  expectedDaysMax: 30,
  pageItems: 500,
  pageItemsDefault: 50,
  chainLinks: 500,
  chainLinksDefault: 10,
  /** Items listed in the history of a file. */
  historyVersions: 300,
  historyBreaks: 100,
  shareAddresses: 20,
  /** Lifetime of the public link of a shared alert. */
  shareDaysDefault: 30,
  shareDaysMax: 365,
  nameCharacters: 200,
  descriptionCharacters: 2_000,
  pathCharacters: 4_096,
  regexpCharacters: 500,
  /** Instructions of the program that the expression for archives compiles to (`regexpProgramSteps`). */
  regexpProgramSteps: 1_000,
  /** New, distinct expressions in one request. */
  regexpsPerRequest: 200,
  noteCharacters: 4_000,
  /** Assignments and comments of one alert; all of them are kept. */
  alertChanges: 500,
  commentCharacters: 2_000,
  /** Saved views of the alert list per person. */
  savedViews: 20,
  savedViewNameCharacters: 60,
  /** Filters of a saved view, as a query string of the console. */
  savedViewQueryCharacters: 2_000,
  /** Values of one filter listed with their counts: those with the most alerts. */
  countedValues: 100,
  emailCharacters: 254,
  heartbeatFiles: 10_000,
  heartbeatEvents: 100,
  findDocuments: 10_000,
  /** Items listed on a dashboard; its counts cover all items. */
  dashboardDevices: 50,
  dashboardFiles: 100,
  dashboardFilesPerDevice: 10,
  /** Sizes as JSON, so that long names do not make the response large. */
  dashboardDevicesBytes: 4_500,
  dashboardNoContactDevicesBytes: 2_000,
  dashboardNoContactFilesBytes: 3_500,
  dashboardNotJudgedFilesBytes: 3_500,
  /** Newest alerts of a period, from which the handling time is calculated. */
  handlingAlerts: 1_000,
  healthIntervalSecondsMin: 10,
  healthIntervalSecondsDefault: 60,
  healthIntervalSecondsMax: 86_400,
  fileIntervalSecondsMin: 1,
  fileIntervalSecondsDefault: 1,
  fileIntervalSecondsMax: 86_400,
} as const;
