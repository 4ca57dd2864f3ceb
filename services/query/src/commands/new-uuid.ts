import { uuidV7 } from '@sentinel-node/contracts';
import type { QueryContext } from '../context.ts';

const UUID_RANDOM_BYTES = 10;

export function newUuid({ clock, random }: Pick<QueryContext, 'clock' | 'random'>): string {
  return uuidV7(clock.now(), random.bytes(UUID_RANDOM_BYTES));
}
