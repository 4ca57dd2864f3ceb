/** Limits of checking expressions, besides `LIMITS.regexpProgramSteps` and `LIMITS.regexpsPerRequest`. */
export const REGEXP_WORK = {
  /** Time of the first attempt to compile one expression and try it on a name. */
  deadlineMs: 50,
  /**
   * Attempts, each in a new thread and with twice the time of the one before; an expression of allowed size is late only on a
   * busy machine.
   */
  tries: 4,
  /** Characters of the name that an expression is tried on. */
  triedCharacters: 64,
  /** The most expressions with a kept verdict. */
  keptVerdicts: 5_000,
  /** The most expressions of all requests that wait for the thread; a request queues one at a time. */
  waiting: 100,
  waitingPerOrganization: 10,
} as const;
