import {
  ATTRIBUTE_NAMES,
  eventId,
  type AlertType,
  type AttributeChange,
  type ChainAlert,
} from '@sentinel-node/contracts';
import { causeOf } from './causes.ts';
import type { EntryEvent, StateEvent } from './domain-event.ts';
import type { OpenAlert } from './head.ts';
import type { Source } from './source.ts';

type Handling = Extract<EntryEvent | StateEvent, { type: 'HANDLED' | 'CLOSED' }>;

type Handled = Pick<ChainAlert, 'status' | 'overrideUser' | 'overrideUserEmail' | 'handledAt' | 'note'>;
const UNHANDLED: Handled = {
  status: 'ACTIVE',
  overrideUser: null,
  overrideUserEmail: null,
  handledAt: null,
  note: null,
};

/** Id of the alert that a report raises with the BREAK of ordinal `index`. */
export function alertIdOf(source: Source, index: number, timeMs: number): string {
  return eventId(timeMs, 'ALERT', causeOf(source, index));
}

/** A deviation of a type that has no open alert. */
export function raise(alertId: string, hashId: string, breakNumber: number, timeMs: number): OpenAlert {
  return {
    alertId,
    timestamp: timeMs,
    lastTimestamp: timeMs,
    occurrences: 1,
    breakNumber,
    breakId: hashId,
  };
}

/** A further deviation of the type. */
export function count(alert: OpenAlert, timeMs: number): OpenAlert {
  return { ...alert, occurrences: alert.occurrences + 1, lastTimestamp: timeMs };
}

/** The alert after a further deviation: each attribute keeps the value before the first deviation and the newest value. */
export function withChanges(alert: OpenAlert, changes: readonly AttributeChange[]): OpenAlert {
  if (changes.length === 0) return alert;
  const known = alert.attributeChanges ?? [];
  const named = (list: readonly AttributeChange[], name: string) => list.find((one) => one.name === name);
  const attributeChanges = ATTRIBUTE_NAMES.flatMap((name) => {
    const [first, newest] = [named(known, name), named(changes, name)];
    if (first === undefined) return newest ?? [];
    return newest === undefined ? first : { ...first, after: newest.after };
  });
  return { ...alert, attributeChanges };
}

/** The whole alert as the chain record has it, as long as it is not handled. */
export function activeAlert(type: AlertType, alert: OpenAlert, eventRequest?: string): ChainAlert {
  const active = alertOf(type, alert, UNHANDLED);
  return eventRequest === undefined ? active : { ...active, eventRequest };
}

export function handledAlert(alert: OpenAlert, handling: Handling, timeMs: number): ChainAlert {
  return alertOf(handling.alertType, alert, {
    status: handling.status,
    overrideUser: handling.actor,
    overrideUserEmail: handling.actorEmail,
    handledAt: timeMs,
    note: handling.note,
  });
}

/** One literal for speed (see `Draft` of an entry): every record of a deviating file carries its alert. */
function alertOf(type: AlertType, alert: OpenAlert, handled: Handled): ChainAlert {
  const { attributeChanges } = alert;
  const whole: ChainAlert = {
    id: alert.alertId,
    timestamp: alert.timestamp,
    type,
    hashId: alert.breakId,
    breakNumber: alert.breakNumber,
    occurrences: alert.occurrences,
    lastTimestamp: alert.lastTimestamp,
    status: handled.status,
    overrideUser: handled.overrideUser,
    overrideUserEmail: handled.overrideUserEmail,
    handledAt: handled.handledAt,
    note: handled.note,
  };
  return attributeChanges === undefined ? whole : { ...whole, attributeChanges: [...attributeChanges] };
}
