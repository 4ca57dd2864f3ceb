/** Uses a system while a test examines it. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { invited } from './client.ts';
import { addFiles, MODIFIABLE, version } from './reporter.ts';
import type { Scene } from './scene.ts';

/** Pause between two rounds, in ms, which leaves the processors to others. */
const BREATH_MS = 1_000;
/** Rounds per invited person. */
const ROUNDS_PER_PERSON = 5;

/**
 * Makes reports, heartbeats and registry changes until told to end; the files must contain `a` at the
 * beginning.
 * @returns a function that ends this and returns the number of rounds
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
