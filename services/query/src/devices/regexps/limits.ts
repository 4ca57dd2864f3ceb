/** What checking expressions may cost, besides `LIMITS.regexpProgramSteps` and `LIMITS.regexpsPerRequest`. */
export const REGEXP_WORK = {
  /** For compiling one expression and trying it on a name. */
  deadlineMs: 50,
  /** Each in a new thread: an expression of the size that is allowed is late only where the machine is busy. */
  tries: 4,
  /** Characters of the name that an expression is tried on. */
  triedCharacters: 64,
  /** Expressions whose verdict is kept. */
  keptVerdicts: 5_000,
  /** Expressions that wait for the thread, of all requests; a request has at most one in the queue at a time. */
  waiting: 100,
  waitingPerOrganization: 10,
} as const;
