import { utimes } from 'node:fs/promises';
import { isClockOff } from '../clock.ts';
import { writeWhole } from '../io/sealed.ts';
import type { FileStatus, WrittenStatus } from '../status.ts';

/** Most turns in a row that only confirm the file. */
const CONFIRMED_TURNS = 9;
/** Heartbeat intervals without an answer that a status tells apart. */
const MISSED_BEATS = 4;
const MS_PER_SECOND = 1_000;

/** What the file holds, and under what it is the same. */
interface Written {
  readonly path: string;
  /** The configuration that names the files; another one may name as many others. */
  readonly configuration: object;
  /** As of `markOf`. */
  readonly mark: string;
}

/**
 * The status file of one agent. While nothing but times changes, its time of modification says so: a status of ten thousand files has
 * 3 MB, which every machine would else write to its disk twice a minute.
 */
export class StatusFile {
  #written: Written | undefined;
  #confirmed = 0;

  /**
   * Writes the status, or confirms the one in the file. @param isLast whether no further call follows, so that the file is to be exact
   * @throws Error of node:fs; the next call then writes
   */
  async write(path: string, status: WrittenStatus, configuration: object, isLast = false): Promise<void> {
    const now = { path, configuration, mark: markOf(status) };
    const atSeconds = Date.parse(status.at) / MS_PER_SECOND;
    if (!isLast && this.#confirmed < CONFIRMED_TURNS && isSame(now, this.#written)) {
      this.#confirmed += 1;
      const isThere = await utimes(path, atSeconds, atSeconds).then(
        () => true,
        () => false,
      );
      if (isThere) return;
    }
    this.#written = undefined;
    await writeWhole(path, `${JSON.stringify(status)}\n`, { isSynced: false });
    // The clock of a file server may be another one.
    await utimes(path, atSeconds, atSeconds);
    this.#written = now;
    this.#confirmed = 0;
  }
}

const isSame = (now: Written, written: Written | undefined): boolean =>
  written?.path === now.path && written.configuration === now.configuration && written.mark === now.mark;

/**
 * Returns a text that stays the same while nothing of a status changes but times: of the status itself, of heartbeats that are answered, of
 * looks, and of a clock that is right. Files that are well are not in it.
 */
export function markOf(status: WrittenStatus): string {
  const { at, lastHeartbeatAt, heartbeatSeconds, clockOffsetMs, log, files, ...others } = status;
  const missed =
    lastHeartbeatAt === null || heartbeatSeconds === undefined
      ? null
      : Math.floor((Date.parse(at) - Date.parse(lastHeartbeatAt)) / (heartbeatSeconds * MS_PER_SECOND));
  return JSON.stringify({
    ...others,
    // One interval passes between any two answers.
    missed: missed === null ? null : Math.min(MISSED_BEATS, Math.max(1, missed)),
    isClockOff: clockOffsetMs === null ? null : isClockOff(clockOffsetMs),
    log: log === null ? null : { ...log, lookedAt: log.lookedAt !== null },
    files: files.length,
    notWell: files.flatMap((file, index) =>
      isWell(file) ? [] : [index, { ...file, checkedAt: file.checkedAt !== null }],
    ),
  });
}

/** Whether the file was looked at, and nothing but the time of the look can be said of it. */
const isWell = ({ checkedAt, problem, archives, polling, pending, waiting }: FileStatus): boolean =>
  checkedAt !== null &&
  problem === null &&
  archives === null &&
  polling === null &&
  pending !== true &&
  waiting === 0;
