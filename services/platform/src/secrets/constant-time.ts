import { timingSafeEqual } from 'node:crypto';

/** Compares in a time that does not reveal where the texts differ, only whether their lengths differ. */
export function constantTimeEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
