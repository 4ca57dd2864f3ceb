/** Longest wait of a test for a page, in ms: only ends what never comes. On a busy machine a first page takes many seconds. */
export const DEADLINE_MS = 120_000;

/** Waits until something holds; fails after the deadline. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`timed out: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
