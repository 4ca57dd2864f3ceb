import { timingSafeEqual } from 'node:crypto';

/** Compares without telling by its time where the texts differ; only whether the lengths differ can be told. */
export function constantTimeEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
