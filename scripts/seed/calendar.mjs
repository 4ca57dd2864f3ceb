/** Spreads events over time: more on working days, and more by day than by night. Times are milliseconds. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STEPS_A_DAY = 8;
const BY_DAY = { from: 6, to: 18, times: 4 };
const WEEKEND = new Set([0, 6]);

/**
 * Returns the steps from `days` before `end` to `end`, each at most three hours, with the number of alerts in each.
 * @returns {{from: number, to: number, alerts: number}[]} numbers that add up to `alerts`
 */
export function stepsOf({ days, alerts, files, end }) {
  const least = Math.ceil(alerts / Math.max(1, Math.floor(files / 2)));
  const count = Math.max(days * STEPS_A_DAY, least, 1);
  const [start, lasts] = [end - days * DAY_MS, (days * DAY_MS) / count];
  const weights = Array.from({ length: count }, (_, n) => weightAt(start + n * lasts));
  const total = weights.reduce((sum, one) => sum + one, 0);
  let [passed, given] = [0, 0];
  return weights.map((weight, n) => {
    passed += weight;
    const due = Math.round((alerts * passed) / total) - given;
    given += due;
    return { from: start + n * lasts, to: start + (n + 1) * lasts, alerts: due };
  });
}

function weightAt(ms) {
  const date = new Date(ms);
  const isDay = date.getUTCHours() >= BY_DAY.from && date.getUTCHours() < BY_DAY.to;
  return (isDay ? BY_DAY.times : 1) * (WEEKEND.has(date.getUTCDay()) ? 1 : 2);
}

/** A clock that stands still until it is moved, never goes back, and follows the system's clock after `letGo`. */
export class MovedClock {
  #at;

  /** @param {number} at milliseconds */
  constructor(at) {
    this.#at = at;
  }

  now() {
    return this.#at ?? Date.now();
  }

  moveTo(at) {
    if (this.#at !== undefined) this.#at = Math.max(this.#at, Math.floor(at));
  }

  letGo() {
    this.#at = undefined;
  }
}
