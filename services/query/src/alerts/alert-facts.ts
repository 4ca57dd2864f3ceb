/** What filters of alerts compare, and what is counted of them. */
import {
  keysOf,
  type AlertFilter,
  type AlertStatus,
  type AlertType,
  type Category,
  type CountedFilter,
} from '@sentinel-node/contracts';

/** Of one alert. */
export interface AlertFacts {
  readonly id: string;
  readonly status: AlertStatus;
  readonly type: AlertType;
  readonly category: Category | null;
  readonly deviceId: string;
  readonly fileId: string;
  /** Id of a user; null: nobody has. */
  readonly handledBy: string | null;
  /** Id of a user, or `NOBODY`. */
  readonly assignee: string;
  readonly contentHash: string | null;
}

/** Of each value of each filter, how many alerts it leaves with the other filters. */
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
  /** Id of its newest alert. */
  readonly newest: string;
}

export interface Groups {
  readonly groups: readonly Group[];
  /** Also those that were not asked for. */
  readonly total: number;
}

export const isWanted = (facts: AlertFacts, filter: AlertFilter): boolean =>
  keysOf(filter).every((key) => filter[key] === undefined || filter[key] === facts[key]);
