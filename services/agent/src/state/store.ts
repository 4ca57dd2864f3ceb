/** Where an agent keeps what it must not lose: rows of text, changed together and kept before they count. */

/** Owner of the rows that belong to the agent itself; those of a file belong to its id. */
export const AGENT = '';

/** What is kept of a file, or of the agent. */
export type Part =
  /** The state after the last report that was answered, by its sequence. */
  | 'memory'
  /** A report that waits, by its sequence. */
  | 'report'
  /** What is known of the archives. */
  | 'archives'
  /** A report that was refused for good, by its sequence. */
  | 'refused'
  /** What was not whole, for a person to look at. */
  | 'broken'
  /** Of the agent: what the server sent last. */
  | 'configuration'
  /** Of the agent: what it has to say of itself. */
  | 'events';

export interface Row {
  readonly part: string;
  readonly number: number;
  readonly text: string;
  /** Whether the text is the one that was kept. */
  readonly isWhole: boolean;
}

export type Change =
  | { readonly do: 'put'; readonly part: Part; readonly number: number; readonly text: string }
  /** The text is not whole: it was found so. */
  | { readonly do: 'putBroken'; readonly part: Part; readonly number: number; readonly text: string }
  /** A row that is at the new place gives way. */
  | {
      readonly do: 'move';
      readonly from: Part;
      readonly fromNumber: number;
      readonly to: Part;
      readonly toNumber: number;
    }
  | { readonly do: 'moveAll'; readonly from: Part; readonly to: Part }
  | { readonly do: 'removeBelow'; readonly part: Part; readonly number: number }
  /** Only the rows with the highest numbers stay. */
  | { readonly do: 'keepNewest'; readonly part: Part; readonly count: number }
  | { readonly do: 'removeAll' };

export interface StateStore {
  /** Another number: what was read before is no longer what is kept. */
  readonly epoch: number;
  /** Of one owner, by part and number, with what was committed before the call. @throws Error the state cannot be read now (`code`: ENOSPC, EIO, …) */
  rows(owner: string): Row[];
  /** undefined: it is not there, or not whole. @throws Error as `rows` */
  text(owner: string, part: Part, number: number): string | undefined;
  /** Whoever has rows. @throws Error as `rows` */
  owners(): string[];
  /**
   * Makes these changes, all or none, in the order of the calls; resolves when they are durable.
   * @throws Error as `rows`: then nothing has changed
   */
  commit(owner: string, changes: readonly Change[]): Promise<void>;
}
