/** Topics of the log. Keys: see docs/architecture.md; a keyed topic never changes its number of partitions. */
export const TOPICS = {
  registry: 'sentinel.registry.v1',
  fileEvents: 'sentinel.file-events.v1',
  chain: 'sentinel.chain.v1',
  anchors: 'sentinel.anchors.v1',
  deviceHealth: 'sentinel.device-health.v1',
  feed: 'sentinel.feed.v1',
  deadLetters: 'sentinel.dead-letters.v1',
  /** Reports of the operator's services about themselves. */
  operations: 'sentinel.operations.v1',
  /** Notices of all organisations for the operator's own programs; empty unless switched on. */
  notices: 'sentinel.notices.v1',
} as const;
export type Topic = (typeof TOPICS)[keyof typeof TOPICS];

/** Consumer groups, one a projection or processor. */
export const GROUPS = {
  verifier: 'chain-verifier',
  projector: 'query-projector',
  notifier: 'query-notifier',
  syslog: 'query-syslog',
} as const;

/** Topics of each group. */
export const CONSUMED = [
  { group: GROUPS.verifier, topic: TOPICS.fileEvents },
  { group: GROUPS.projector, topic: TOPICS.registry },
  { group: GROUPS.projector, topic: TOPICS.chain },
  { group: GROUPS.projector, topic: TOPICS.deviceHealth },
  { group: GROUPS.projector, topic: TOPICS.anchors },
  { group: GROUPS.notifier, topic: TOPICS.registry },
  { group: GROUPS.notifier, topic: TOPICS.chain },
  { group: GROUPS.notifier, topic: TOPICS.operations },
  { group: GROUPS.syslog, topic: TOPICS.notices },
] as const;

/** `rules` of every new record; `decide` keeps every rule set that was ever shipped. */
export const CURRENT_RULES = 4;
