import type { AlertType, Attributes, HandledStatus, Policy, Version } from '@sentinel-node/contracts';

/** An error of the agent or of its clock, as the note of an AGENT_ERROR or MALFORMED_DATA event has it. */
export interface CodedMessage {
  readonly code: string;
  readonly message: string;
}

/** Domain events that append an entry to the chain, in the order given. */
export type EntryEvent =
  | { readonly type: 'BEGUN'; readonly policy: Policy; readonly deviceId: string }
  | {
      readonly type: 'POLICY_CHANGED';
      readonly policy: Policy;
      readonly rebaseline: boolean;
      /** The path is another one (rules 4). */
      readonly moved?: true;
      readonly actor?: string;
    }
  | { readonly type: 'SWITCHED'; readonly policy: Policy; readonly actor?: string }
  | { readonly type: 'DELETED'; readonly policy: Policy; readonly actor?: string }
  | {
      readonly type: 'LINKED';
      readonly kind: 'BASELINE' | 'LINK';
      readonly version: Version;
      readonly whileDisabled?: true;
    }
  /** `version` is absent when the file is gone. */
  | {
      readonly type: 'DEVIATED';
      readonly alertType: AlertType;
      readonly version?: Version;
      readonly whileDisabled?: true;
    }
  /** `version` is the last reported one, named in a RESET. */
  | {
      readonly type: 'HANDLED';
      readonly alertType: AlertType;
      readonly status: HandledStatus;
      readonly note: string;
      readonly actor: string;
      readonly actorEmail: string;
      readonly version?: Version;
    };

/** Domain events that become an event in the list that people see. */
export type ListedEvent =
  | { readonly type: 'AGENT_FAILED'; readonly error: CodedMessage }
  | {
      readonly type: 'SEQUENCE_FAULT';
      readonly code: 'SEQUENCE_BACK' | 'SEQUENCE_REUSED';
      readonly message: string;
    }
  | { readonly type: 'DECREASED'; readonly from: number; readonly to: number }
  | { readonly type: 'ROLLED'; readonly archives: readonly { readonly name: string }[] }
  | {
      readonly type: 'NOTICED';
      readonly eventType: 'MALFORMED_DATA' | 'AGENT_ERROR';
      readonly noticeId: string;
      readonly error: CodedMessage;
    };

/** Domain events that only change the state of the file. */
export type StateEvent =
  /** A higher configVersion with the same fields: only the version is kept, without an entry. */
  | { readonly type: 'POLICY_RENEWED'; readonly policy: Policy }
  | {
      readonly type: 'SEQUENCED';
      readonly sequence: number;
      readonly timestamp: string;
      readonly digest: string;
    }
  /**
   * A report arrived; `checked` unless it is an ERROR, out of sequence, or of an earlier path (rules 4). `atMs`: when, if not at the
   * record's time (rules 3).
   */
  | { readonly type: 'CONTACTED'; readonly checked: boolean; readonly atMs?: number }
  /** The next comparison starts from here; the file exists. */
  | { readonly type: 'REPORTED'; readonly version: Version }
  /** The next comparison of attributes starts from here. */
  | { readonly type: 'ATTRIBUTES_TOLD'; readonly attributes: Attributes }
  /** `awaited`: under the configuration whose baseline is awaited (rules 3). */
  | { readonly type: 'MISSED'; readonly awaited?: true }
  /** The awaited baseline arrived: that of a changed path or frequency, or the next one after a reset. */
  | { readonly type: 'BASELINED'; readonly awaitedToo: boolean }
  | { readonly type: 'NEXT_AWAITED' }
  /** The first record of the file changed its path or frequency: a baseline of this configuration is awaited (rules 3). */
  | { readonly type: 'AWAITED'; readonly configVersion: number }
  /** The first report since monitoring was switched on again has been judged. */
  | { readonly type: 'RESUMED' }
  /** An alert of a deleted file was handled: its chain has ended, so no entry. */
  | {
      readonly type: 'CLOSED';
      readonly alertType: AlertType;
      readonly status: HandledStatus;
      readonly note: string;
      readonly actor: string;
      readonly actorEmail: string;
    };

/** Decision of a rule set on one record. An empty list: the record changes nothing, and nothing is published. */
export type DomainEvent = EntryEvent | ListedEvent | StateEvent;
