export interface ConfigProblem {
  /** Name of the environment variable. */
  readonly variable: string;
  /** One line with the problem and its remedy; never the value of a secret. */
  readonly message: string;
}

/** The environment is not a valid configuration. The message has one line a variable. */
export class ConfigError extends Error {
  readonly code = 'CONFIG';
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(({ variable, message }) => `${variable}: ${message}`).join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
