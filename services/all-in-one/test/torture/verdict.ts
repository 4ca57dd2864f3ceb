/** Compares what the server shows of a file with the expectation. Pure. */
import { createHash } from 'node:crypto';
import { ALERT_TYPES, type AlertType } from '@sentinel-node/contracts';
import type { Expectation } from './expectation.ts';

export interface ShownFile {
  readonly contact: string;
  /** Hashes of the file's chain, newest first; null for a missing file. */
  readonly hashes: readonly (string | null)[];
  readonly occurrences: Readonly<Partial<Record<AlertType, number>>>;
}

export const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Returns a sentence for each fault; empty without a fault. @param content of the file at the end */
export function faultsOf(
  shown: ShownFile,
  { alerts, lies, total, versions }: Expectation,
  content: Buffer | null,
): string[] {
  const ofTypes = ALERT_TYPES.flatMap((type) =>
    alertFaults(type, shown.occurrences[type] ?? 0, alerts[type]),
  );
  const occurrences = Object.values(shown.occurrences).reduce((sum, n) => sum + n, 0);
  return [
    ...lies.map(
      (at) => `the agent said that it had looked since ${new Date(at).toISOString()}, when nobody could`,
    ),
    ...contactFaults(shown.contact),
    ...finalFaults(shown.hashes, content),
    ...versionFaults(shown.hashes, versions),
    ...(ofTypes.length > 0 ? ofTypes : alertFaults('any alert', occurrences, total)),
  ];
}

const contactFaults = (contact: string): string[] =>
  contact === 'OK' ? [] : [`the contact is ${contact} in the end`];

function finalFaults(hashes: ShownFile['hashes'], content: Buffer | null): string[] {
  if (content === null)
    return hashes[0] === null ? [] : ['the file is gone, and the chain does not end with that'];
  const newest = hashes.find((hash) => hash !== null);
  return newest === hashOf(content)
    ? []
    : [`the chain ends with ${newest ?? 'nothing'}, not with the file's bytes`];
}

function versionFaults(hashes: ShownFile['hashes'], versions: readonly Buffer[]): string[] {
  const known = new Set(hashes);
  return versions
    .map(hashOf)
    .filter((hash) => !known.has(hash))
    .map(
      (hash) => `the agent said that it had looked while ${hash} was there, and the chain does not have it`,
    );
}

function alertFaults(
  type: AlertType | 'any alert',
  shown: number,
  [least, most]: readonly [number, number],
): string[] {
  if (shown < least) return [`MISSED: ${type} occurs ${shown} times, not ${least} at the least`];
  return shown > most ? [`FALSE: ${type} occurs ${shown} times, not ${most} at the most`] : [];
}
