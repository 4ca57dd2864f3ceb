import {
  attributeChanges,
  type AttributeChange,
  type ChainAlert,
  type ChainEvent,
  type Entry,
} from '@sentinel-node/contracts';
import { activeAlert, alertIdOf, count, handledAlert, raise, withChanges } from './alerts.ts';
import { EntryWriter } from './entries.ts';
import { alertEvent, eventOf } from './events.ts';
import type { EntryEvent, ListedEvent, DomainEvent } from './domain-event.ts';
import type { Head } from './head.ts';
import type { Source } from './source.ts';

/** Entries, alerts and events of one record for the chain topic. */
export interface Written {
  readonly entries: Entry[];
  readonly alerts: ChainAlert[];
  readonly events: ChainEvent[];
}

/** Input of the decision: the record, the state before it, and values derived from both. */
export interface DecisionContext {
  readonly source: Source;
  readonly head: Head;
  /** max(accepted time, the head's), milliseconds. */
  readonly timeMs: number;
  /** Of the policy in force after the record. */
  readonly policyHash: string;
  readonly logId: Uint8Array;
}

/** Turns domain events into numbered and hashed entries: equal events on an equal head give equal bytes. */
export function write(events: readonly DomainEvent[], context: DecisionContext): Written {
  const builder = new EntryBuilder(context, entryCountOf(events));
  for (const event of events) {
    if (isEntryEvent(event)) builder.entry(event);
    else if (event.type === 'CLOSED') builder.handle(event);
  }
  for (const event of events) if (isListedEvent(event)) builder.event(event);
  return builder;
}

function entryCountOf(events: readonly DomainEvent[]): number {
  let count = 0;
  for (const event of events) if (isEntryEvent(event)) count++;
  return count;
}

type Handling = Extract<DomainEvent, { type: 'HANDLED' | 'CLOSED' }>;

/** @boundedBy one record */
class EntryBuilder implements Written {
  readonly alerts: ChainAlert[] = [];
  readonly events: ChainEvent[] = [];
  readonly #context: DecisionContext;
  readonly #writer: EntryWriter;
  readonly #firstEventIndex: number;
  #linkId: string | null = null;

  constructor(context: DecisionContext, entryCount: number) {
    this.#context = context;
    this.#writer = new EntryWriter(
      context.source,
      context.head,
      context.policyHash,
      context.timeMs,
      context.logId,
    );
    this.#firstEventIndex = entryCount;
  }

  get entries(): Entry[] {
    return this.#writer.entries;
  }

  entry(event: EntryEvent): void {
    if (event.type === 'DEVIATED') return this.#deviate(event);
    if (event.type === 'HANDLED') {
      const { alertId, breakNumber } = this.handle(event);
      this.#writer.append(event, alertId, breakNumber);
      return;
    }
    const { id } = this.#writer.append(event);
    if (event.type === 'LINKED') this.#linkId = id;
  }

  handle(event: Handling): { readonly alertId: string; readonly breakNumber: number } {
    const open = this.#context.head.open[event.alertType];
    if (open === undefined) throw new Error(`no open alert of type ${event.alertType}`);
    this.alerts.push(handledAlert(open, event, this.#context.timeMs));
    return open;
  }

  /** Called after all entries, because the event may be about the last link among them. */
  event(event: ListedEvent): void {
    const { source, timeMs } = this.#context;
    const hashId = event.type === 'DECREASED' || event.type === 'ROLLED' ? this.#linkId : null;
    this.events.push(eventOf(event, source, this.#nextEventIndex(), timeMs, hashId));
  }

  #deviate(event: Extract<EntryEvent, { type: 'DEVIATED' }>): void {
    const { head, source, timeMs } = this.#context;
    const open = head.open[event.alertType];
    const changes = changesOf(source, head);
    const alertId = open?.alertId ?? alertIdOf(source, this.entries.length, timeMs);
    const { id, number } = this.#writer.append(event, alertId);
    this.#linkId = id;
    if (open !== undefined) {
      this.alerts.push(activeAlert(event.alertType, withChanges(count(open, timeMs), changes)));
      return;
    }
    const text = source.kind === 'report' ? source.text : undefined;
    const raised = withChanges(raise(alertId, id, number, timeMs), changes);
    const alert = activeAlert(event.alertType, raised, text);
    this.alerts.push(alert);
    this.events.push(alertEvent(source, this.#nextEventIndex(), timeMs, alert));
  }

  #nextEventIndex(): number {
    return this.#firstEventIndex + this.events.length;
  }
}

/** Attributes of a watched file that differ in the report. */
function changesOf(source: Source, { attributes: known }: Head): readonly AttributeChange[] {
  const told = source.kind === 'report' ? source.report.attributes : undefined;
  return known === undefined || told === undefined ? [] : attributeChanges(known, told);
}

function isEntryEvent(event: DomainEvent): event is EntryEvent {
  switch (event.type) {
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

function isListedEvent(event: DomainEvent): event is ListedEvent {
  switch (event.type) {
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
