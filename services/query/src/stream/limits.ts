/** Bounds of the live stream. */
export const STREAM_LIMITS = {
  /** Streams that are open. An organisation opens no more once it has as many as are free (`FairPool`). */
  clients: 5_000,
  clientsPerUser: 20,
  /** Told to a client for whom there is no place. */
  retryAfterSeconds: 5,
  /** Organisations with the most streams that the metrics name. */
  namedOrganizations: 5,
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
   * At most between two checks for expirations: the shortest time in which a contact expires after a
   * heartbeat (three health intervals of 10 s), so that none expires unseen in between.
   */
  expirationsMs: 30_000,
  /** What a read waits for the feed at most, before it counts from the store. */
  catchUp: 1_000,
  /** A session, and the role of its user, is looked up at least this often. */
  session: 2_000,
} as const;

/** Pause after computing a summary or checking for expirations, as a multiple of the time that took. */
export const PAUSE_PER_WORK = 20;
