/** The fields of alerts that filters compare and counts use. */
import {
  keysOf,
  type AlertFilter,
  type AlertStatus,
  type AlertType,
  type Category,
  type CountedFilter,
  type YesNo,
} from '@sentinel-node/contracts';

/** Facts of one alert. */
export interface AlertFacts {
  readonly id: string;
  readonly status: AlertStatus;
  readonly type: AlertType;
  readonly category: Category | null;
  readonly deviceId: string;
  readonly fileId: string;
  /** Id of the user who handled the alert; null while nobody has. */
  readonly handledBy: string | null;
  /** Id of the assigned user, or `NOBODY`. */
  readonly assignee: string;
  readonly contentHash: string | null;
  readonly planned: YesNo;
  /** Id of the maintenance window that covers the alert. */
  readonly window: string | null;
  readonly expected: YesNo;
  /** Id of the list of expected changes that covers the alert. */
  readonly list: string | null;
  /** One label a line; null without labels. */
  readonly deviceLabels: string | null;
  readonly fileLabels: string | null;
  /** Version of the device that `category` and the labels come from. */
  readonly deviceRev: number;
}

/** For each value of each filter, how many alerts match it together with the other filters. */
export interface Counted {
  readonly alerts: number;
  readonly values: Readonly<Record<CountedFilter, Map<string, number>>>;
}

export interface Group {
  readonly key: string;
  readonly alerts: number;
  readonly active: number;
  readonly devices: number;
  readonly files: number;
  /** Id of the group's newest alert. */
  readonly newest: string;
}

export interface Groups {
  readonly groups: readonly Group[];
  /** Number of all groups, including those not returned. */
  readonly total: number;
}

/** A filter, and the devices that a limited service token reaches. Absent: all. */
export type AlertSelection = AlertFilter & { readonly within?: ReadonlySet<string> };

export function isWanted(facts: AlertFacts, { label, within, ...filter }: AlertSelection): boolean {
  if (within?.has(facts.deviceId) === false) return false;
  const hasLabel =
    label === undefined || hasLine(facts.deviceLabels, label) || hasLine(facts.fileLabels, label);
  return hasLabel && keysOf(filter).every((key) => filter[key] === undefined || filter[key] === facts[key]);
}

/** @param lines labels as in `AlertFacts` */
export const hasLine = (lines: string | null, line: string): boolean =>
  lines !== null && `\n${lines}\n`.includes(`\n${line}\n`);

export const linesOf = (labels: readonly string[] | undefined): string | null => labels?.join('\n') ?? null;
