/** Limits that more than one part must agree on. Units are in the names. */
export const LIMITS = {
  /** One report, as received. */
  reportBytes: 1_048_576,
  /** One bulk body, also after decompression. */
  bulkBytes: 16 * 1_048_576,
  bulkLines: 10_000,
  versionsPerReport: 1_000,
  archivesPerReport: 100,
  /** One record of the log: a report in its envelope, or a whole device or organisation after a change. */
  logRecordBytes: 4 * 1_048_576,
  /** How far a report's sequence may lie ahead of the server's clock. */
  sequenceAheadMs: 24 * 3_600_000,
  filesPerDevice: 2_000,
  devicesPerOrganization: 10_000,
  usersPerOrganization: 10_000,
  /** Enrolment tokens that can be used. */
  enrolmentsPerOrganization: 100,
  /** Service tokens that can be used. */
  serviceTokensPerOrganization: 100,
  serviceTokenDaysDefault: 90,
  serviceTokenDaysMax: 365,
  /** Devices that a limited service token names one by one. */
  serviceTokenDevices: 50,
  /** Labels that a limited service token names. */
  serviceTokenLabels: 20,
  /** Devices that a limited service token reaches, by name and by label; with more its lists are refused. */
  serviceTokenReach: 1_000,
  webhooksPerOrganization: 20,
  webhookUrlCharacters: 2_000,
  /** From the rotation of a webhook's secret to the end of the one before, in hours. */
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
  /** Devices that one token makes. */
  enrolmentUses: 10_000,
  enrolmentDaysDefault: 7,
  enrolmentDaysMax: 90,
  labelsPerDevice: 32,
  labelsPerFile: 8,
  labelKeyCharacters: 63,
  labelValueCharacters: 128,
  /** Devices, and files, that a window or a list of expected changes names one by one. */
  scopeItems: 200,
  scopeLabels: 20,
  /** Maintenance windows that are not over. */
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
  /** What the history of a file names. */
  historyVersions: 300,
  historyBreaks: 100,
  shareAddresses: 20,
  /** From the sharing of an alert to the end of its public link. */
  shareDaysDefault: 30,
  shareDaysMax: 365,
  nameCharacters: 200,
  descriptionCharacters: 2_000,
  pathCharacters: 4_096,
  regexpCharacters: 500,
  /** Instructions of the program that the expression for archives compiles to (`regexpProgramSteps`). */
  regexpProgramSteps: 1_000,
  /** Different expressions that one request brings for the first time. */
  regexpsPerRequest: 200,
  noteCharacters: 4_000,
  /** Assignments and comments of one alert; all of them are kept. */
  alertChanges: 500,
  commentCharacters: 2_000,
  /** Views of the list of alerts that one person keeps. */
  savedViews: 20,
  savedViewNameCharacters: 60,
  /** The filters of a saved view, as in the console's address. */
  savedViewQueryCharacters: 2_000,
  /** Values of one filter that are named with their count, those with most alerts. */
  countedValues: 100,
  emailCharacters: 254,
  heartbeatFiles: 10_000,
  heartbeatEvents: 100,
  findDocuments: 10_000,
  /** What a dashboard names; its counts are of all. */
  dashboardDevices: 50,
  dashboardFiles: 100,
  dashboardFilesPerDevice: 10,
  /** As JSON: names are long or short, and the answer stays small. */
  dashboardDevicesBytes: 4_500,
  dashboardNoContactDevicesBytes: 2_000,
  dashboardNoContactFilesBytes: 3_500,
  /** The newest ones of the time, from which the time to handle is taken. */
  handlingAlerts: 1_000,
  healthIntervalSecondsMin: 10,
  healthIntervalSecondsDefault: 60,
  healthIntervalSecondsMax: 86_400,
  fileIntervalSecondsMin: 1,
  fileIntervalSecondsDefault: 1,
  fileIntervalSecondsMax: 86_400,
} as const;
