import {
  CURRENT_RULES,
  type AlertType,
  type ChainAlert,
  type ChainEvent,
  type ChainRecord,
  type Entry,
  type Policy,
} from '@sentinel-node/contracts';
import { conclude, decodeRecord, INITIAL_HEAD, type Head } from '../../src/index.ts';
import { FILE, labelOf, LOG_ID, POLICY, START_MS, type Made, type Step, type Story } from './records.ts';

/** What one record gave, in words: `BREAK HASH_BREACH B`, `HASH_BREACH ACTIVE 1`, `ALERT {"type":"HASH_BREACH"}`. */
export interface Seen {
  readonly entries: readonly string[];
  readonly alerts: readonly string[];
  readonly events: readonly string[];
}

export class Teller implements Story {
  readonly fileId: string;
  readonly rules: number;
  policy: Policy;
  acceptedAtMs = START_MS;
  sequence = START_MS * 1000;
  records = 0;
  head: Head = INITIAL_HEAD;
  readonly log: Made[] = [];
  readonly published: ChainRecord[] = [];

  constructor(policy: Partial<Policy> = {}, fileId = FILE, rules = CURRENT_RULES) {
    this.rules = rules;
    this.policy = { ...POLICY, ...policy };
    this.fileId = fileId;
  }

  openAlert(type: AlertType): string {
    return this.head.open[type]?.alertId ?? 'none';
  }

  occurrencesOf(type: AlertType): number {
    return this.head.open[type]?.occurrences ?? 1;
  }

  /** Judges what the step writes; undefined when nothing is published. */
  tell(step: Step): ChainRecord | undefined {
    const made = step(this);
    return made === undefined ? undefined : this.append(made);
  }

  append(made: Made): ChainRecord | undefined {
    const offset = this.log.push(made) - 1;
    const concluded = conclude(decodeRecord(made), this.head, offset, LOG_ID);
    if (concluded === undefined) return undefined;
    this.head = concluded.head;
    this.published.push(concluded.record);
    return concluded.record;
  }
}

/** Given a history under a policy, when a record comes, this is what it gives. */
export function given(policy: Partial<Policy>, ...history: readonly Step[]) {
  const teller = new Teller(policy);
  for (const step of history) teller.tell(step);
  return {
    teller,
    when: (step: Step): Seen | 'nothing' => {
      const record = teller.tell(step);
      return record === undefined ? 'nothing' : inWords(record);
    },
  };
}

export function inWords(record: ChainRecord): Seen {
  return {
    entries: record.entries.map(entryInWords),
    alerts: record.alerts.map(alertInWords),
    events: record.events.map(eventInWords),
  };
}

function entryInWords(entry: Entry): string {
  const words: string[] = [entry.kind];
  if (entry.alertType !== undefined) words.push(entry.alertType);
  if (entry.contentHash !== undefined) words.push(labelOf(entry.contentHash));
  if (entry.whileDisabled) words.push('whileDisabled');
  return words.join(' ');
}

const alertInWords = (alert: ChainAlert): string => `${alert.type} ${alert.status} ${alert.occurrences}`;
const eventInWords = (event: ChainEvent): string => `${event.type} ${event.note}`;
