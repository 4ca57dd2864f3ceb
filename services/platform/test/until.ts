/** Allows for a machine that is busy with other tests. */
const DEADLINE_MS = 120_000;
const LOOK_AGAIN_MS = 20;

/** Waits until `condition` holds. @throws Error after the deadline */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}
