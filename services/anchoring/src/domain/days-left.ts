const DAY_MS = 86_400_000;

export interface SpendingRate {
  /** Satoshis of one anchor. */
  readonly fee: number;
  /** Number of anchors signed in the period. */
  readonly anchors: number;
  readonly periodMs: number;
}

/** Returns the days that the funds last at this rate; undefined without a rate. @param funds in satoshis */
export function daysLeft(funds: number, { fee, anchors, periodMs }: SpendingRate): number | undefined {
  const spent = fee * anchors;
  return spent > 0 && periodMs > 0 ? (funds / spent) * (periodMs / DAY_MS) : undefined;
}
