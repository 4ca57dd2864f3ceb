/** Port for the agent's durable state: rows of text, changed in atomic groups. */

/** Owner of the agent's own rows; a file's rows belong to its id. */
export const AGENT = '';

/** Kinds of rows. */
const PARTS = [
  /** The state after the last accepted report, by the report's sequence. */
  'memory',
  /** A waiting report, by its sequence. */
  'report',
  /** The known archives. */
  'archives',
  /** A report set aside after a refusal for good, by its sequence. */
  'refused',
  /** A damaged row, kept for the operator. */
  'broken',
  /** The agent's: the server's last configuration. */
  'configuration',
  /** The agent's: since when the server answers its heartbeats. */
  'answers',
  /** The agent's: its unsent notices. */
  'events',
] as const;

/** Kind of a row. */
export type Part = (typeof PARTS)[number];

export const isPart = (part: string): part is Part => PARTS.some((one) => one === part);

export interface Row {
  readonly part: string;
  readonly number: number;
  readonly text: string;
  /** Whether the text and the key match their checksum. */
  readonly isWhole: boolean;
}

export type Change =
  | { readonly do: 'put'; readonly part: Part; readonly number: number; readonly text: string }
  /** Writes a text that is already damaged, so that it reads as damaged. */
  | { readonly do: 'putBroken'; readonly part: Part; readonly number: number; readonly text: string }
  /** Replaces a row at the target. */
  | {
      readonly do: 'move';
      readonly from: Part;
      readonly fromNumber: number;
      readonly to: Part;
      readonly toNumber: number;
    }
  | { readonly do: 'moveAll'; readonly from: Part; readonly to: Part }
  | { readonly do: 'removeBelow'; readonly part: Part; readonly number: number }
  /** Removes all but the rows with the highest numbers. */
  | { readonly do: 'keepNewest'; readonly part: Part; readonly count: number }
  | { readonly do: 'removeAll' };

export interface StateStore {
  /** Changes when the state is replaced: earlier reads are then outdated. */
  readonly epoch: number;
  /**
   * Returns an owner's rows by part and number, including all changes committed before the call.
   * @throws Error the state cannot be read now (`code`: ENOSPC, EIO, …)
   */
  rows(owner: string): Row[];
  /** Returns a row's text; undefined when missing or damaged. @throws Error as `rows` */
  text(owner: string, part: Part, number: number): string | undefined;
  /** Returns the owners with rows. @throws Error as `rows` */
  owners(): string[];
  /**
   * Removes the rows of all other owners. @throws Error as `rows`; also when a row of another owner is damaged: it may be
   * of one of these, so the whole state is set aside
   */
  keepOnly(owners: ReadonlySet<string>): Promise<void>;
  /**
   * Makes these changes, all or none, in the order of the calls; resolves when they are durable.
   * @throws Error as `rows`, with nothing changed
   */
  commit(owner: string, changes: readonly Change[]): Promise<void>;
}
