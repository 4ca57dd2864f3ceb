import { ignoreTransient, NotDurableError } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import type { Owner } from '../storage/reservations.ts';

/** A reservation of an owner, and whether the streams confirm an owner. */
export interface Reserved {
  readonly id: string;
  readonly owner: Owner;
  readonly isHeld: (holder: Owner) => Promise<boolean>;
}

/**
 * Releases reservations after a command that failed, except those that the owner's stream confirms: a command can fail
 * after its commit. A store that gave no answer may still take the commit, so that all stay; others can take over what no
 * stream confirms after `RESERVATION_GRACE_MS`. Only for an owner that this command made: another command of the same
 * owner could be about to commit.
 * @param error what the command threw
 */
export async function releaseUnheld(
  { reservations }: Pick<QueryContext, 'reservations'>,
  reserved: readonly Reserved[],
  error: unknown,
): Promise<void> {
  if (error instanceof NotDurableError) return;
  const release = async (): Promise<void> => {
    for (const { id, owner, isHeld } of reserved)
      if (!(await isHeld(owner))) await reservations.release(id, owner);
  };
  // The answer is the error of the command.
  await ignoreTransient(release)();
}
