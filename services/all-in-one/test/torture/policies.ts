/** Policies of the torture test's files: every possible policy, derived from the file's number. Pure. */

export interface WatchedFile {
  readonly number: number;
  readonly name: string;
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** Interval of a PROBE file, in seconds. */
  readonly intervalSeconds: number;
  readonly modifiable: boolean;
  readonly rolled: boolean;
  /** Whether permissions and owner must stay unchanged, too. */
  readonly watchesAttributes: boolean;
  /** Whether only permitted changes happen: the file must never raise an alert. */
  readonly isHonest: boolean;
  /** Whether the file is in the folder that the agent cannot enter for a while. */
  readonly isShutAway: boolean;
  /** Whether the file is missing at the beginning. */
  readonly isMissingAtFirst: boolean;
}

const INTERVALS_SECONDS = [1, 2, 5];
/** Number of honest files among ten. */
const HONEST_OF_TEN = 6;
/** One of this many unmodifiable files may have its permissions changed. */
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

/** Returns the expression of the archives' names (RE2). */
export const archiveExpression = ({ name }: WatchedFile): string =>
  `${name.replace('.', '\\.')}\\.[0-9]+(\\.gz)?`;

/** Returns the seconds without a look after which a file has lost contact (decision 7 of the specification). */
export const contactSeconds = (file: WatchedFile, healthSeconds: number): number =>
  3 * Math.max(file.frequency === 'PROBE' ? file.intervalSeconds : 0, healthSeconds);
