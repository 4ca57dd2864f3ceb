import { UUID_RANDOM_BYTES, uuidV7 } from '@sentinel-node/contracts';
import type { QueryContext } from '../context.ts';

export function newUuid({ clock, random }: Pick<QueryContext, 'clock' | 'random'>): string {
  return uuidV7(clock.now(), random.bytes(UUID_RANDOM_BYTES));
}
