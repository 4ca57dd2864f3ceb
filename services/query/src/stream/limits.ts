/** Bounds of the live stream. */
export const STREAM_LIMITS = {
  clientsPerOrganization: 500,
  clientsPerUser: 20,
  clients: 5_000,
  /** What one client has not read yet, in bytes; above, it is slow and gets a `resync` once it reads again. */
  clientBufferBytes: 1_048_576,
  /** A client that stays slow this long is cut off, in milliseconds. */
  slowMs: 60_000,
  /** Feed records of one organisation that wait to be sent; more: `resync` for all its clients. */
  channelRecords: 1_000,
  /** Objects of frequent kinds that wait for their next turn; more: `resync`. */
  pendingObjects: 20_000,
  /** Objects of frequent kinds that are sent to an organisation in a second. */
  frequentPerSecond: 250,
  /** Records of the feed that are looked through for a client that comes back. */
  replayedRecords: 10_000,
  /** Different objects that a client that comes back is told of one by one; more: `resync`. */
  replayedObjects: 2_000,
} as const;

/** In milliseconds. */
export const STREAM_TIMES = {
  comment: 15_000,
  /** The same file, device or summary is sent at most once in this time. */
  merge: 1_000,
  /**
   * Between two looks for what time alone has changed, at most: the shortest time in which anything lapses after it
   * was heard of (three health intervals of 10 s), so that nothing lapses unseen in between.
   */
  lapses: 30_000,
  /** A session, and the role of its user, is looked up at least this often. */
  session: 2_000,
} as const;

/** What the dashboard's summary, or a look for lapses, took is followed by a pause of so many times as long. */
export const PAUSE_PER_WORK = 20;
