/** Limits of the live stream. */
export const STREAM_LIMITS = {
  /** The most open streams. An organisation may open as many as are still free (`FairPool`). */
  clients: 5_000,
  clientsPerUser: 20,
  /** Streams whose sessions are looked up together. */
  checkedAtOnce: 500,
  /** `Retry-After` of a refused stream. */
  retryAfterSeconds: 5,
  /** The organisations with the most streams that the metrics name. */
  namedOrganizations: 5,
  /** The most unread bytes of one client; above, the client is slow and gets a `resync` when it reads again. */
  clientBufferBytes: 1_048_576,
  /** A client that stays slow this long is cut off, in milliseconds. */
  slowMs: 60_000,
  /** The most waiting feed records of one organisation; above, all its clients get a `resync`. */
  channelRecords: 1_000,
  /** The most feed records that are sent together. */
  recordsAtOnce: 250,
  /** A group that names this many objects takes no further record. */
  itemsAtOnce: 2_000,
  /** The most waiting objects of frequent kinds; above, files are dropped until a `resync`. */
  pendingObjects: 20_000,
  /** The most objects of each frequent kind sent to an organisation in a second. */
  frequentPerSecond: 250,
  /** The most feed records that are read for a reconnecting client. */
  replayedRecords: 10_000,
  /** The most different objects sent to a reconnecting client; above, a `resync`. */
  replayedObjects: 2_000,
} as const;

/** In milliseconds. */
export const STREAM_TIMES = {
  comment: 15_000,
  /** The same file, device or summary is sent at most once in this time. */
  merge: 1_000,
  /**
   * The least time between two `resync` for dropped files. Heartbeats name every file of an organisation, so that more than
   * are sent in this time come without an end: each `resync` makes all its consoles read again.
   */
  resync: 60_000,
  /**
   * The longest time between two checks for expirations: the shortest time in which a contact expires after a heartbeat
   * (three health intervals of 10 s), so that every expiration is noticed.
   */
  expirationsMs: 30_000,
  /** The least time from a look for expirations that fails to the next one. */
  lookAgain: 10_000,
  /** How long a read waits for the feed before it counts from the store. */
  catchUp: 1_000,
  /** The longest pause after sending to all clients of an organisation; shorter ones than `leastPause` are left out. */
  longestPause: 200,
  leastPause: 5,
  /** The longest time between two checks of a session and its user's role. */
  session: 2_000,
} as const;

/** Pause after sending to all clients of an organisation, as a multiple of the time that took: many clients get fewer, longer writes. */
export const PAUSE_PER_SENDING = 2;

/** Pause after computing a summary or checking for expirations, as a multiple of the time that took. */
export const PAUSE_PER_WORK = 20;
