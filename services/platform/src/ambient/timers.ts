/** Waits and repeats tasks; injected, so that tests control the time. */
export interface Timers {
  /** Resolves after `ms` milliseconds. */
  delay(ms: number): Promise<void>;
  /** Runs `task` every `ms` milliseconds, counted from the end of the last run: runs never overlap. */
  every(ms: number, task: () => Promise<void>): Repeating;
}

export interface Repeating {
  /** Resolves when no run is active and none will follow. Idempotent. */
  stop(): Promise<void>;
  /** Rejects with the error that `task` threw; the task is not repeated after an error. */
  readonly failed: Promise<never>;
}

/** Timers of the runtime; a waiting repetition does not keep the process alive. */
export const systemTimers: Timers = {
  delay: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  every: repeat,
};

function repeat(ms: number, task: () => Promise<void>): Repeating {
  let stopped = false;
  let running = Promise.resolve();
  let timer: NodeJS.Timeout;
  let fail: (error: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  const run = async (): Promise<void> => {
    try {
      await task();
      if (!stopped) schedule();
    } catch (error) {
      stopped = true;
      fail(error);
    }
  };
  const schedule = (): void => {
    timer = setTimeout(() => void (running = run()), ms).unref();
  };
  schedule();
  return {
    failed,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
