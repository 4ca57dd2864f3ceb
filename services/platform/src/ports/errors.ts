/** A failure that a port's contract names. Any other error of a port is unexpected and ends the process. */
export class PortError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** Another racing writer won. */
export class ConflictError extends PortError {
  constructor(message: string) {
    super('CONFLICT', message);
  }
}

/** The document is larger than the store takes one: MongoDB has a limit. */
export class DocumentTooLargeError extends PortError {
  constructor(collection: string, bytes: number, limit: number) {
    super('DOCUMENT_TOO_LARGE', `${collection}: a document of ${bytes} bytes; at most ${limit}`);
  }
}

/** A named limit is reached; the caller pushes back and tries later. */
export class OverloadedError extends PortError {
  constructor(message: string) {
    super('OVERLOADED', message);
  }
}

/** The store could not make a write durable (full disk, no quorum). Nothing is acknowledged. */
export class NotDurableError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('NOT_DURABLE', message, options);
  }
}

/** The log is unreachable, or does not answer in time; try again later. */
export class LogUnavailableError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('LOG_UNAVAILABLE', message, options);
  }
}

/**
 * The log returned less than [from, to) and no more in time: its end is before `to`, perhaps temporarily under a new
 * leader, or it lost records. The records returned before must not be used on their own.
 */
export class ShortReadError extends PortError {
  constructor(message: string) {
    super('SHORT_READ', message);
  }

  static at(topic: string, partition: number, position: number, to: number, end: number): ShortReadError {
    return new ShortReadError(
      `${topic} partition ${partition}: read up to offset ${position} of ${to}, and the log gives no more; it ends at ${end}`,
    );
  }
}

/** A topic that is kept for ever lacks records. Whoever went on behind them would skip accepted reports without a word. */
export class LogRecordsLostError extends PortError {
  constructor(code: string, part: string, what: string) {
    super(
      code,
      `the log has lost ${part}: ${what}. Run sentinel topics, so that no setting removes more; then stop all services, empty both stores and restore a backup`,
    );
  }
}

/** A topic that is kept for ever lacks its first records. */
export class LogStartLostError extends LogRecordsLostError {
  constructor(what: string) {
    super('LOG_START_LOST', 'its beginning', what);
  }

  /** @param reader whoever needs the records from `position` on; the first one that is left is at `start` */
  static before(
    {
      topic,
      partition,
      start,
    }: { readonly topic: string; readonly partition: number; readonly start: number },
    reader: string,
    position: number,
  ): LogStartLostError {
    return new LogStartLostError(
      `${topic} partition ${partition} begins at offset ${start}, ${reader} needs the records from ${position} on, of which ${start - position} are gone`,
    );
  }
}

/** A topic that is kept for ever lacks records between others, as where somebody had it compacted. */
export class LogHoleError extends LogRecordsLostError {
  /** @param place where the next record that is left is, `found` @param reader whoever needs the record at `missing` */
  constructor(
    place: { readonly topic: string; readonly partition: number; readonly found: number },
    reader: string,
    missing: number,
  ) {
    const { found, partition, topic } = place;
    super(
      'LOG_HAS_HOLE',
      'records of its middle',
      `${topic} partition ${partition} goes on at offset ${found}, ${reader} needs the records from ${missing} on, of which ${found - missing} are gone`,
    );
  }
}

/** The store does not hold yet what a group makes of the records of a topic; try again later. */
export class NotCaughtUpError extends PortError {
  constructor({ group, topic }: { readonly group: string; readonly topic: string }) {
    super('NOT_CAUGHT_UP', `the store does not hold yet what ${group} makes of ${topic}`);
  }
}

/** A transient fault of the log or the store: the same call can succeed later. */
export function isTransient(error: unknown): error is PortError {
  return [OverloadedError, NotDurableError, LogUnavailableError, ShortReadError, NotCaughtUpError].some(
    (kind) => error instanceof kind,
  );
}

export class PartitionCountChangedError extends PortError {
  constructor(topic: string, recorded: number, configured: number) {
    super(
      'PARTITIONS_CHANGED',
      `topic ${topic} has ${recorded} partitions, and this version works with ${configured}: records of one file would be out of order; partitions cannot be taken away: make the topic anew from a backup (deploy/runbook.md, "A topic with other partitions")`,
    );
  }
}

/** Another process holds the data folder. */
export class DataFolderInUseError extends PortError {
  constructor(folder: string) {
    super(
      'DATA_FOLDER_IN_USE',
      `another process uses the data folder ${folder}; stop it, or set SENTINEL_DATA_DIR to another folder`,
    );
  }
}

/** The ledger cannot be reached or answered with a passing fault; try again later. */
export class LedgerUnavailableError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('LEDGER_UNAVAILABLE', message, options);
  }
}

/**
 * The port does not allow the query: a limit out of bounds, or `contains` without an indexed equality. A fault of the
 * caller.
 */
export class QueryRefusedError extends PortError {
  constructor(message: string) {
    super('QUERY_REFUSED', message);
  }
}

/** The mail server is there, and does not take this mail for its mailbox now. The message is its answer, in one line. */
export class MailDeferredError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('MAIL_DEFERRED', message.replaceAll(/\s+/g, ' '), options);
  }
}

/** The mail server refuses this mail permanently. The message is its answer, in one line. */
export class MailRefusedError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('MAIL_REFUSED', message.replaceAll(/\s+/g, ' '), options);
  }
}
