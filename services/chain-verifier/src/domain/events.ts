import { eventId, type ChainEvent, type EventType } from '@sentinel-node/contracts';
import { causeOf, sequenceFaultCause } from './causes.ts';
import type { ListedEvent } from './domain-event.ts';
import type { Source } from './source.ts';

/** Event of the people's list for a domain event; `hashId` names its link. `index`: see `causeOf`. */
export function eventOf(
  event: ListedEvent,
  source: Source,
  index: number,
  timeMs: number,
  hashId: string | null,
): ChainEvent {
  const cause =
    event.type === 'SEQUENCE_FAULT' ? sequenceFaultCause(source, event.code) : causeOf(source, index);
  const type = typeOf(event);
  return {
    id: eventId(timeMs, type, cause),
    type,
    alertId: null,
    hashId,
    note: JSON.stringify(noteOf(event)),
  };
}

/** The event that accompanies a raised alert. */
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

function typeOf(event: ListedEvent): EventType {
  switch (event.type) {
    case 'AGENT_FAILED':
    case 'SEQUENCE_FAULT':
      return 'AGENT_ERROR';
    case 'DECREASED':
      return 'FILE_DECREASED';
    case 'ROLLED':
      return 'ROLLING';
    case 'NOTICED':
      return event.eventType;
  }
}

function noteOf(event: ListedEvent): object {
  switch (event.type) {
    case 'AGENT_FAILED':
    case 'NOTICED':
      return { code: event.error.code, message: event.error.message };
    case 'SEQUENCE_FAULT':
      return { code: event.code, message: event.message };
    case 'DECREASED':
      return { from: event.from, to: event.to };
    case 'ROLLED':
      return { archives: event.archives };
  }
}
