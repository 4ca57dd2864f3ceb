import type { AlertType, HandledStatus, Policy, Version } from '@sentinel-node/contracts';

/** An error of the agent or of its clock, as the note of an AGENT_ERROR or MALFORMED_DATA event has it. */
export interface CodedMessage {
  readonly code: string;
  readonly message: string;
}

/** Facts that append an entry to the chain, in the order given. */
export type EntryFact =
  | { readonly fact: 'BEGUN'; readonly policy: Policy; readonly deviceId: string }
  | {
      readonly fact: 'POLICY_CHANGED';
      readonly policy: Policy;
      readonly rebaseline: boolean;
      readonly actor?: string;
    }
  | { readonly fact: 'SWITCHED'; readonly policy: Policy; readonly actor?: string }
  | { readonly fact: 'DELETED'; readonly policy: Policy; readonly actor?: string }
  | {
      readonly fact: 'LINKED';
      readonly kind: 'BASELINE' | 'LINK';
      readonly version: Version;
      readonly whileDisabled?: true;
    }
  /** `version` is absent when the file is gone. */
  | {
      readonly fact: 'DEVIATED';
      readonly alertType: AlertType;
      readonly version?: Version;
      readonly whileDisabled?: true;
    }
  /** `version` is the last reported one, named in a RESET. */
  | {
      readonly fact: 'HANDLED';
      readonly alertType: AlertType;
      readonly status: HandledStatus;
      readonly note: string;
      readonly actor: string;
      readonly actorEmail: string;
      readonly version?: Version;
    };

/** Facts that become an event in the list that people see. */
export type EventFact =
  | { readonly fact: 'AGENT_FAILED'; readonly error: CodedMessage }
  | {
      readonly fact: 'SEQUENCE_FAULT';
      readonly code: 'SEQUENCE_BACK' | 'SEQUENCE_REUSED';
      readonly message: string;
    }
  | { readonly fact: 'DECREASED'; readonly from: number; readonly to: number }
  | { readonly fact: 'ROLLED'; readonly archives: readonly { readonly name: string }[] }
  | {
      readonly fact: 'NOTICED';
      readonly type: 'MALFORMED_DATA' | 'AGENT_ERROR';
      readonly noticeId: string;
      readonly error: CodedMessage;
    };

/** Facts that only change what is known of the file. */
export type StateFact =
  /** A higher configVersion with the same fields: the version counts, no entry. */
  | { readonly fact: 'POLICY_RENEWED'; readonly policy: Policy }
  | {
      readonly fact: 'SEQUENCED';
      readonly sequence: number;
      readonly timestamp: string;
      readonly digest: string;
    }
  /** A report came; `checked` unless it is an ERROR or out of sequence. */
  | { readonly fact: 'CONTACTED'; readonly checked: boolean }
  /** From here the comparison goes on; the file is there. */
  | { readonly fact: 'REPORTED'; readonly version: Version }
  | { readonly fact: 'MISSED' }
  /** What was awaited has come: the path's or frequency's baseline, or only the next one after a reset. */
  | { readonly fact: 'BASELINED'; readonly awaitedToo: boolean }
  | { readonly fact: 'NEXT_AWAITED' }
  /** The first report since monitoring was switched on again has been judged. */
  | { readonly fact: 'RESUMED' }
  /** An alert of a deleted file was handled: its chain has ended, so no entry. */
  | {
      readonly fact: 'CLOSED';
      readonly alertType: AlertType;
      readonly status: HandledStatus;
      readonly note: string;
      readonly actor: string;
      readonly actorEmail: string;
    };

/** What a rule set says of one record. An empty list: the record changes nothing, and nothing is published. */
export type Fact = EntryFact | EventFact | StateFact;
