/**
 * Tells everything known about one file in the order of time, for a person who searches for the cause of a
 * fault. Pure.
 */
import type { Alert, Event, Link } from '@sentinel-node/contracts';
import type { Expectation } from './expectation.ts';
import type { Claim, Done } from './history.ts';
import type { Happening } from './disturb.ts';
import type { Said } from './tested-agent.ts';
import type { Watched } from './stage.ts';
import { hashOf } from './verdict.ts';

export interface Known {
  readonly file: Watched;
  readonly faults: readonly string[];
  readonly expectation: Expectation;
  readonly done: readonly Done[];
  readonly states: readonly {
    readonly from: number;
    readonly content: Buffer | null;
    readonly target: string | null;
    readonly mode: number;
    readonly owner: number | null;
  }[];
  readonly claims: readonly Claim[];
  readonly said: readonly Said[];
  readonly happened: readonly Happening[];
  readonly links: readonly Link[];
  readonly alerts: readonly Alert[];
  readonly events: readonly Event[];
}

export function storyOf(known: Known): string {
  const { alerts, claims, done, events, expectation, faults, file, happened, links, said, states } = known;
  const { device: _device, ...policy } = file;
  const lines: (readonly [number, string])[] = [
    ...done.map(
      ({ operation: { kind, id, bytes, share }, begin, end, inode }) =>
        [
          begin,
          `DONE    ${kind} ${id}, ${bytes} bytes, share ${share.toFixed(3)}, ended ${time(end)}, inode ${inode}`,
        ] as const,
    ),
    ...states.map(
      ({ from, content, mode, owner, target }) =>
        [
          from,
          `STATE   ${content === null ? 'nothing' : `${content.length} bytes ${hashOf(content)} ${mode.toString(8)} of ${owner ?? 'nobody else'}`}${target === null ? '' : ` by the link ${target}`}`,
        ] as const,
    ),
    ...claims.map(
      ({ at, checkedAt }) => [at, `CLAIM   the agent says that it looked at ${time(checkedAt)}`] as const,
    ),
    ...said.filter(({ line }) => isAbout(line, file)).map(({ at, line }) => [at, `LOG     ${line}`] as const),
    ...happened.map(({ at, what }) => [at, `SYSTEM  ${what}`] as const),
    ...links.map(
      ({ number, type, hash, length, timestamp, alerts }) =>
        [
          Date.parse(timestamp),
          `LINK    ${number} ${type} ${length} ${hash} ${alerts.map(({ type }) => type).join(' ')}`,
        ] as const,
    ),
    ...alerts.map(
      (alert) =>
        [
          Date.parse(alert.lastTimestamp),
          `ALERT   ${alert.type} × ${alert.occurrences} since ${alert.timestamp}: ${JSON.stringify(alert.eventRequest)}`,
        ] as const,
    ),
    ...events.map(({ type, note, timestamp }) => [Date.parse(timestamp), `EVENT   ${type} ${note}`] as const),
  ];
  const inOrder = lines.toSorted((a, b) => a[0] - b[0]).map(([at, what]) => `  ${time(at)} ${what}`);
  return [
    `${JSON.stringify(policy)}`,
    ...faults.map((fault) => `  FAULT   ${fault}`),
    `  EXPECTED ${JSON.stringify({ ...expectation.alerts, total: expectation.total })}`,
    ...inOrder,
  ].join('\n');
}

const time = (ms: number): string => new Date(ms).toISOString().slice(11);

/** Returns whether the line is about this file or about no file. */
const isAbout = (line: string, { id, path }: Watched): boolean =>
  line.includes(path) || line.includes(id) || !line.includes('/tree/');
