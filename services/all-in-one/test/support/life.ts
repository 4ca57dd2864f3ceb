/** A system that is used while a test looks at it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { invited } from './client.ts';
import { addFiles, MODIFIABLE, version } from './reporter.ts';
import type { Scene } from './scene.ts';

/** Between two rounds, in milliseconds: two cores have other things to do as well. */
const BREATH_MS = 400;
/** A person is invited, and confirms, every so many rounds. */
const ROUNDS_PER_PERSON = 5;

/**
 * Reports, heartbeats and changes in the registry, until told to end; the files hold `a` when it begins.
 * @returns ends it, and gives how many rounds there were
 */
export function life({
  admin,
  agent,
  files,
}: Pick<Scene, 'admin' | 'agent' | 'files'>): () => Promise<number> {
  const ids = Object.values(files);
  let ended = false;
  let rounds = 0;
  const running = (async () => {
    for (; !ended; rounds += 1) {
      for (const id of ids) {
        await agent.report(id, 'REPLACED', version('a'), version('b'));
        await agent.report(id, 'REPLACED', version('b'), version('a'));
      }
      await agent.heartbeat('one');
      const name = randomUUID();
      await addFiles(agent, { [name]: MODIFIABLE });
      if (rounds % ROUNDS_PER_PERSON === 0) await invited(admin, `${name}@example.org`, 'One more');
      await pause(BREATH_MS);
    }
  })();
  running.catch(() => undefined);
  return async () => {
    ended = true;
    await running;
    return rounds;
  };
}
