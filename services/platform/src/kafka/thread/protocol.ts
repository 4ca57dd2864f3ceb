/** Messages between the two sides of the thread. All of them can be cloned or transferred. */
import type { ConsumeOptions, TopicSpec } from '../../ports/event-log.ts';
import type { KafkaConnection, KafkaLimits } from '../options.ts';
import type { UnsafeTopics } from '../topic-watch.ts';
import type { PackedBatch, PackedPositions, PackedRecords } from './packed-records.ts';

export interface ThreadOptions {
  readonly connection: KafkaConnection;
  readonly limits: KafkaLimits;
  readonly topics: readonly TopicSpec[];
  readonly logLevel: string;
}

/** Arguments and answers of the log's methods. `subscription` is a number that the caller chooses. */
export interface Calls {
  open: { readonly ask: undefined; readonly answer: { readonly epoch: string } };
  append: {
    readonly ask: { readonly topic: string; readonly records: PackedRecords };
    readonly answer: PackedPositions;
  };
  consume: {
    readonly ask: {
      readonly subscription: number;
      readonly topics: readonly string[];
      readonly group: string;
      readonly options: ConsumeOptions;
    };
    readonly answer: void;
  };
  tail: {
    readonly ask: {
      readonly subscription: number;
      readonly topic: string;
      readonly from: ReadonlyMap<number, number> | 'end';
    };
    readonly answer: void;
  };
  stop: { readonly ask: { readonly subscription: number }; readonly answer: void };
  /** Answers with the first records of the range; undefined for an empty range. */
  read: {
    readonly ask: {
      readonly topic: string;
      readonly partition: number;
      readonly from: number;
      readonly to: number | undefined;
    };
    readonly answer: PackedBatch | undefined;
  };
  bounds: {
    readonly ask: { readonly topic: string };
    readonly answer: readonly { readonly partition: number; readonly start: number; readonly end: number }[];
  };
  committed: {
    readonly ask: { readonly topic: string; readonly group: string };
    readonly answer: ReadonlyMap<number, number>;
  };
  close: { readonly ask: undefined; readonly answer: void };
}

export type Operation = keyof Calls;
export type Ask<Op extends Operation> = Calls[Op]['ask'];
export type Answer<Op extends Operation> = Calls[Op]['answer'];

/** To the thread: a call, or the outcome of a handled batch. */
export type ToThread =
  | {
      readonly kind: 'call';
      readonly call: number;
      readonly op: Operation;
      readonly ask: Ask<Operation>;
    }
  | { readonly kind: 'handled'; readonly delivery: number; readonly succeeded: boolean };

/** From the thread: answers and notices. */
export type FromThread =
  | { readonly kind: 'answer'; readonly call: number; readonly answer: Answer<Operation> }
  | { readonly kind: 'refusal'; readonly call: number; readonly error: CarriedError }
  /** A batch; without `delivery` the thread does not wait until it is handled. */
  | {
      readonly kind: 'batch';
      readonly subscription: number;
      readonly delivery: number | undefined;
      readonly batch: PackedBatch;
    }
  | { readonly kind: 'failed'; readonly subscription: number; readonly error: CarriedError }
  | {
      readonly kind: 'assigned';
      readonly group: string;
      readonly topics: readonly string[];
      readonly partitions: readonly string[];
    }
  | {
      readonly kind: 'lag';
      readonly group: string;
      readonly topic: string;
      readonly partition: number;
      readonly records: number;
    }
  | { readonly kind: 'state'; readonly state: ThreadState }
  /** A line of JSON, as pino writes it. */
  | { readonly kind: 'log'; readonly line: string };

export interface ThreadState {
  readonly reachable: boolean;
  readonly unflushedBytes: number;
  readonly absentGroups: readonly string[];
  readonly unfetchedSeconds: Readonly<Record<string, number>>;
  readonly unfetchedGroups: readonly string[];
  readonly unsafeTopics: UnsafeTopics;
  readonly shortenedTopics: readonly string[];
  /** Subscriptions of tails that do not follow now. */
  readonly silentTails: readonly number[];
}

/** `code` is that of a `PortError`; 'range' stands for a RangeError, 'other' for any other error. */
export type CarriedError =
  | { readonly kind: 'port'; readonly code: string; readonly message: string }
  | { readonly kind: 'range' | 'other'; readonly message: string };
