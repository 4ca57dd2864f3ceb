/** The files of the torture test: every policy there is, told by the file's number. Pure. */

export interface WatchedFile {
  readonly number: number;
  readonly name: string;
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** Seconds, of a PROBE file. */
  readonly intervalSeconds: number;
  readonly modifiable: boolean;
  readonly rolled: boolean;
  /** Its permissions and owner have to stay as they are, too. */
  readonly watchesAttributes: boolean;
  /** Only what the policy allows is done to it: it must never raise an alert. */
  readonly isHonest: boolean;
  /** It lies in the folder that the agent cannot enter for a while. */
  readonly isShutAway: boolean;
  /** At the beginning nothing stands at its path. */
  readonly isMissingAtFirst: boolean;
}

const INTERVALS_SECONDS = [1, 2, 5];
/** Of ten files, so many are honest. */
const HONEST_OF_TEN = 6;
/** Of so many unmodifiable files in a row, one may have its permissions changed. */
const UNWATCHED_EVERY = 4;

export function fileOf(number: number): WatchedFile {
  const kind = number % 8;
  const round = Math.floor(number / 8);
  const isHonest = round % 10 < HONEST_OF_TEN;
  return {
    number,
    name: `f${number}.log`,
    frequency: (kind & 1) === 0 ? 'PROBE' : 'FOLLOW',
    intervalSeconds: INTERVALS_SECONDS[round % INTERVALS_SECONDS.length]!,
    modifiable: (kind & 2) === 0,
    rolled: (kind & 4) !== 0,
    watchesAttributes: (kind & 2) !== 0 && round % UNWATCHED_EVERY !== 0,
    isHonest,
    isShutAway: number % 20 === 7,
    isMissingAtFirst: !isHonest && number % 20 === 3,
  };
}

/** The names of its archives, as RE2. */
export const archiveExpression = ({ name }: WatchedFile): string =>
  `${name.replace('.', '\\.')}\\.[0-9]+(\\.gz)?`;

/** Seconds after which a file that was not looked at has lost contact (decisions 7). */
export const contactSeconds = (file: WatchedFile, healthSeconds: number): number =>
  3 * Math.max(file.frequency === 'PROBE' ? file.intervalSeconds : 0, healthSeconds);
