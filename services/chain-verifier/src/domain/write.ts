import type { ChainAlert, ChainEvent, Entry } from '@sentinel-node/contracts';
import { activeAlert, alertIdOf, count, handledAlert, raise } from './alerts.ts';
import { EntryWriter } from './entries.ts';
import { alertEvent, eventOf } from './events.ts';
import type { EntryFact, EventFact, Fact } from './facts.ts';
import type { Head } from './head.ts';
import type { Source } from './source.ts';

/** What the facts of one record are on the chain topic. */
export interface Written {
  readonly entries: Entry[];
  readonly alerts: ChainAlert[];
  readonly events: ChainEvent[];
}

/** Where the facts stand: the record, the state before it, and what follows from both. */
export interface Place {
  readonly source: Source;
  readonly head: Head;
  /** max(accepted time, the head's), milliseconds. */
  readonly timeMs: number;
  /** Of the policy in force after the record. */
  readonly policyHash: string;
  readonly logId: Uint8Array;
}

/** Numbers, hashes and ids: the same facts on the same head give the same bytes. */
export function write(facts: readonly Fact[], place: Place): Written {
  const pen = new Pen(place, entryCountOf(facts));
  for (const fact of facts) {
    if (isEntryFact(fact)) pen.entry(fact);
    else if (fact.fact === 'CLOSED') pen.handle(fact);
  }
  for (const fact of facts) if (isEventFact(fact)) pen.event(fact);
  return pen;
}

function entryCountOf(facts: readonly Fact[]): number {
  let count = 0;
  for (const fact of facts) if (isEntryFact(fact)) count++;
  return count;
}

type Handling = Extract<Fact, { fact: 'HANDLED' | 'CLOSED' }>;

class Pen implements Written {
  readonly alerts: ChainAlert[] = [];
  readonly events: ChainEvent[] = [];
  readonly #place: Place;
  readonly #writer: EntryWriter;
  readonly #firstEventIndex: number;
  #linkId: string | null = null;

  constructor(place: Place, entryCount: number) {
    this.#place = place;
    this.#writer = new EntryWriter(place.source, place.head, place.policyHash, place.timeMs, place.logId);
    this.#firstEventIndex = entryCount;
  }

  get entries(): Entry[] {
    return this.#writer.entries;
  }

  entry(fact: EntryFact): void {
    if (fact.fact === 'DEVIATED') return this.#deviate(fact);
    if (fact.fact === 'HANDLED') {
      const { alertId, breakNumber } = this.handle(fact);
      this.#writer.append(fact, alertId, breakNumber);
      return;
    }
    const { id } = this.#writer.append(fact);
    if (fact.fact === 'LINKED') this.#linkId = id;
  }

  handle(fact: Handling): { readonly alertId: string; readonly breakNumber: number } {
    const open = this.#place.head.open[fact.alertType];
    if (open === undefined) throw new Error(`no open alert of type ${fact.alertType}`);
    this.alerts.push(handledAlert(open, fact, this.#place.timeMs));
    return open;
  }

  /** After all entries: the event may be about the last link among them. */
  event(fact: EventFact): void {
    const { source, timeMs } = this.#place;
    const hashId = fact.fact === 'DECREASED' || fact.fact === 'ROLLED' ? this.#linkId : null;
    this.events.push(eventOf(fact, source, this.#nextEventIndex(), timeMs, hashId));
  }

  #deviate(fact: Extract<EntryFact, { fact: 'DEVIATED' }>): void {
    const { head, source, timeMs } = this.#place;
    const open = head.open[fact.alertType];
    const alertId = open?.alertId ?? alertIdOf(source, this.entries.length, timeMs);
    const { id, number } = this.#writer.append(fact, alertId);
    this.#linkId = id;
    if (open !== undefined) {
      this.alerts.push(activeAlert(fact.alertType, count(open, timeMs)));
      return;
    }
    const text = source.kind === 'report' ? source.text : undefined;
    const alert = activeAlert(fact.alertType, raise(alertId, id, number, timeMs), text);
    this.alerts.push(alert);
    this.events.push(alertEvent(source, this.#nextEventIndex(), timeMs, alert));
  }

  #nextEventIndex(): number {
    return this.#firstEventIndex + this.events.length;
  }
}

function isEntryFact(fact: Fact): fact is EntryFact {
  switch (fact.fact) {
    case 'BEGUN':
    case 'POLICY_CHANGED':
    case 'SWITCHED':
    case 'DELETED':
    case 'LINKED':
    case 'DEVIATED':
    case 'HANDLED':
      return true;
    default:
      return false;
  }
}

function isEventFact(fact: Fact): fact is EventFact {
  switch (fact.fact) {
    case 'AGENT_FAILED':
    case 'SEQUENCE_FAULT':
    case 'DECREASED':
    case 'ROLLED':
    case 'NOTICED':
      return true;
    default:
      return false;
  }
}
