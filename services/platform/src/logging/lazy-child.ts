import type { FastifyBaseLogger } from 'fastify';

type Bindings = Parameters<FastifyBaseLogger['child']>[0];
type ChildOptions = Parameters<FastifyBaseLogger['child']>[1];
type Arguments = Parameters<FastifyBaseLogger['info']>;

/**
 * Returns a child that is created at its first line: most requests log nothing, and creating a pino child with
 * redaction costs several microseconds a request.
 */
export function lazyChild(
  parent: FastifyBaseLogger,
  bindings: Bindings,
  options?: ChildOptions,
): FastifyBaseLogger {
  return new LazyChild(parent, bindings, options);
}

/** Methods are on the prototype, not in getters, because Fastify reads each of them once a request. */
class LazyChild {
  readonly #parent: FastifyBaseLogger;
  readonly #bindings: Bindings;
  readonly #options: ChildOptions;
  #own: FastifyBaseLogger | undefined;

  constructor(parent: FastifyBaseLogger, bindings: Bindings, options: ChildOptions) {
    this.#parent = parent;
    this.#bindings = bindings;
    this.#options = options;
  }

  get level(): string {
    return this.#parent.level;
  }
  child(bindings: Bindings, options?: ChildOptions): FastifyBaseLogger {
    return lazyChild(this.#log(), bindings, options);
  }
  fatal(...line: Arguments): void {
    this.#log().fatal(...line);
  }
  error(...line: Arguments): void {
    this.#log().error(...line);
  }
  warn(...line: Arguments): void {
    this.#log().warn(...line);
  }
  info(...line: Arguments): void {
    this.#log().info(...line);
  }
  debug(...line: Arguments): void {
    this.#log().debug(...line);
  }
  trace(...line: Arguments): void {
    this.#log().trace(...line);
  }
  silent(): void {}

  #log(): FastifyBaseLogger {
    return (this.#own ??= this.#parent.child(this.#bindings, this.#options));
  }
}
