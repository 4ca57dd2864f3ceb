import { eventId, type ChainEvent, type EventType } from '@sentinel-node/contracts';
import { causeOf, sequenceFaultCause } from './causes.ts';
import type { EventFact } from './facts.ts';
import type { Source } from './source.ts';

/** The event that a fact becomes; `hashId` is the link it is about. `index`: see `causeOf`. */
export function eventOf(
  fact: EventFact,
  source: Source,
  index: number,
  timeMs: number,
  hashId: string | null,
): ChainEvent {
  const cause =
    fact.fact === 'SEQUENCE_FAULT' ? sequenceFaultCause(source, fact.code) : causeOf(source, index);
  const type = typeOf(fact);
  return {
    id: eventId(timeMs, type, cause),
    type,
    alertId: null,
    hashId,
    note: JSON.stringify(noteOf(fact)),
  };
}

/** The event that goes with an alert which was raised. */
export function alertEvent(
  source: Source,
  index: number,
  timeMs: number,
  alert: { readonly id: string; readonly type: string; readonly hashId: string },
): ChainEvent {
  const id = eventId(timeMs, 'ALERT', causeOf(source, index));
  const note = JSON.stringify({ type: alert.type });
  return { id, type: 'ALERT', alertId: alert.id, hashId: alert.hashId, note };
}

function typeOf(fact: EventFact): EventType {
  switch (fact.fact) {
    case 'AGENT_FAILED':
    case 'SEQUENCE_FAULT':
      return 'AGENT_ERROR';
    case 'DECREASED':
      return 'FILE_DECREASED';
    case 'ROLLED':
      return 'ROLLING';
    case 'NOTICED':
      return fact.type;
  }
}

function noteOf(fact: EventFact): object {
  switch (fact.fact) {
    case 'AGENT_FAILED':
    case 'NOTICED':
      return { code: fact.error.code, message: fact.error.message };
    case 'SEQUENCE_FAULT':
      return { code: fact.code, message: fact.message };
    case 'DECREASED':
      return { from: fact.from, to: fact.to };
    case 'ROLLED':
      return { archives: fact.archives };
  }
}
