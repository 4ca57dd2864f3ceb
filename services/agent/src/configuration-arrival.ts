import type { Answer } from './net/server.ts';

export interface ConfigurationArrivalOptions {
  readonly log: (level: 'error', message: string) => void;
  readonly notice: (code: string, message: string, fileId: null) => void;
}

/** Versions of the configuration. */
export interface ConfigurationVersions {
  /** The version in use; undefined before the first answer of the server. */
  readonly used: number | undefined;
  /** The server's version. */
  readonly wanted: number;
}

/**
 * Reports that the current configuration does not arrive, as behind a proxy that keeps an old answer: new files would not be
 * watched. The second time in a row counts, because one of several servers may be behind for a moment.
 */
export class ConfigurationArrival {
  readonly #options: ConfigurationArrivalOptions;
  #problem: string | undefined;
  #isTold = false;

  constructor(options: ConfigurationArrivalOptions) {
    this.#options = options;
  }

  /** Why the server's current configuration does not arrive; undefined when it does. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** @param answer to the call for the configuration; undefined when there was none to make */
  judge(answer: Answer<unknown> | undefined, versions: ConfigurationVersions): void {
    const why = answer === undefined ? undefined : faultOf(answer, versions);
    const before = this.#problem;
    this.#problem = why && `the current configuration does not arrive (${why})`;
    if (why === undefined || before === undefined) this.#isTold = false;
    else if (!this.#isTold) {
      this.#isTold = true;
      const message = `The server has configuration ${versions.wanted}, and the agent cannot get it: ${why}. Files that were added are not watched.`;
      this.#options.log('error', message);
      this.#options.notice('CONFIGURATION_OLD', message, null);
    }
  }
}

function faultOf(answer: Answer<unknown>, { used, wanted }: ConfigurationVersions): string | undefined {
  if (answer.kind === 'refused') return `${answer.status} ${answer.code}`;
  if (answer.kind === 'unreachable') return answer.detail;
  return used !== undefined && used < wanted ? `version ${used} came` : undefined;
}
