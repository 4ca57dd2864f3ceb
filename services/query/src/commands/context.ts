import type { Clock, DocumentStore, Random, StreamCommit, Timers } from '@sentinel-node/platform';
import { uuidV7 } from '@sentinel-node/contracts';
import type { MailOutbox } from '../mail/outbox.ts';
import type { DeviceSeats } from './device-seats.ts';
import type { Reservations } from './reservations.ts';

/** What every command of the registry works with. */
export interface CommandContext {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly reservations: Reservations;
  readonly seats: DeviceSeats;
  readonly mail: MailOutbox;
  /** Publishes a commit and makes it readable; resolves when a read shows it. */
  readonly settle: (commit: StreamCommit) => Promise<void>;
  /** Origin of the console, without a slash at the end. */
  readonly publicUrl: string;
}

const UUID_RANDOM_BYTES = 10;

export function newUuid({ clock, random }: Pick<CommandContext, 'clock' | 'random'>): string {
  return uuidV7(clock.now(), random.bytes(UUID_RANDOM_BYTES));
}
