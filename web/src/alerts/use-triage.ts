import type { Alert } from '../answers.ts';
import { useEffect, useRef, useState } from 'react';
import { alertName, wordFor } from '../format.ts';
import type { RowChoice } from '../ui/Table.tsx';
import type { AlertFilter } from './alerts-list.ts';
import { between, readMatching, withChosen, type Selection } from './triage.ts';

/**
 * Keeps the chosen alerts: one by a click, a range by a shift-click, or all that match. A new filter clears the choice,
 * so that no alert out of sight is handled by mistake.
 */
export function useTriage(orgId: string, filter: AlertFilter, alerts: readonly Alert[]) {
  const key = JSON.stringify(filter);
  const [held, setHeld] = useState<{ key: string; selection: Selection }>({ key, selection: new Map() });
  const last = useRef<string | null>(null);
  /** The reading of all that match, and what the person has taken out of the choice since it began. */
  const reading = useRef<{ controller: AbortController; left: Set<string> } | null>(null);
  const stopReading = (): void => {
    reading.current?.controller.abort();
    reading.current = null;
  };
  useEffect(() => stopReading, [key]);
  const selection = held.key === key ? held.selection : new Map();
  const change = (next: (old: Selection) => Selection): void =>
    setHeld((old) => ({ key, selection: next(old.key === key ? old.selection : new Map()) }));
  const choice: RowChoice<Alert> = {
    isChosen: ({ id, status }) => (status === 'ACTIVE' || selection.has(id) ? selection.has(id) : null),
    onChoose: (alert, on, isRange) => {
      const range = isRange && last.current !== null ? between(alerts, last.current, alert.id) : [];
      last.current = alert.id;
      const these = range.length === 0 ? [alert] : range;
      for (const { id } of these) {
        if (on) reading.current?.left.delete(id);
        else reading.current?.left.add(id);
      }
      change((old) => withChosen(old, these, on));
    },
    label: ({ type, fileName, deviceName }) =>
      `Select ${wordFor(alertName, type)} of ${fileName} on ${deviceName}`,
  };
  return {
    selection,
    choice,
    chooseAll: async () => {
      stopReading();
      const begun = { controller: new AbortController(), left: new Set<string>() };
      reading.current = begun;
      const add = (page: readonly Alert[]): void => {
        const wanted = page.filter(({ id }) => !begun.left.has(id));
        change((old) => withChosen(old, wanted, true));
      };
      try {
        await readMatching(orgId, filter, add, begun.controller.signal);
      } catch (error) {
        if (!begun.controller.signal.aborted) throw error;
      } finally {
        if (reading.current === begun) reading.current = null;
      }
    },
    clear: () => {
      stopReading();
      change(() => new Map());
    },
    done: (ids: readonly string[]) => change((old) => new Map([...old].filter(([id]) => !ids.includes(id)))),
  };
}
