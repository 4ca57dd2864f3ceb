/** One service in its own process: can be killed, stopped, frozen and started again under the same name. */
import type { Test } from 'tap';
import { startChild, type Child, type Ended } from './child.ts';
import { programOf } from './node.ts';
import { until } from './until.ts';

export const SERVICES = ['ingestion', 'chain-verifier', 'anchoring', 'query'] as const;
export type ServiceName = (typeof SERVICES)[number];
type Variables = Readonly<Record<string, string>>;

/** Characters of the log to show after an unexpected end. */
const DIAGNOSIS_CHARACTERS = 3_000;

export class ServiceProcess {
  readonly name: ServiceName;
  readonly #t: Test;
  readonly #preloads: readonly string[];
  #env: Variables;
  #child: Child | undefined;
  #url: string | undefined;

  /** @param preloads modules that Node loads before the service, to change its surroundings */
  constructor(t: Test, name: ServiceName, env: Variables, preloads: readonly string[] = []) {
    this.#t = t;
    this.name = name;
    this.#env = env;
    this.#preloads = preloads;
  }

  /** Address of the service; undefined while it does not run. */
  get url(): string | undefined {
    return this.#url;
  }

  get child(): Child {
    if (this.#child === undefined) throw new Error(`${this.name} was not started`);
    return this.#child;
  }

  /** Starts the service and waits until it is ready. @returns the ms that this took */
  async start(env: Variables = {}): Promise<number> {
    const began = performance.now();
    this.#env = { ...this.#env, ...env };
    const main = programOf(this.name, `services/${this.name}/dist/src/main.js`);
    const child = startChild(
      this.#t,
      [...this.#preloads.flatMap((file) => ['--import', file]), main],
      this.#env,
    );
    this.#child = child;
    void child.ended.then(({ code }) => {
      if (this.#child === child) this.#url = undefined;
      if (code !== 0 && code !== null)
        this.#t.comment(`${this.name} ended with ${code}: ${this.said(DIAGNOSIS_CHARACTERS)}`);
    });
    this.#url = await this.#until(`${this.name} listens`, () => {
      if (child.end() !== undefined)
        throw new Error(`${this.name} ended: ${this.said(DIAGNOSIS_CHARACTERS)}`);
      return /Server listening at (http:[^"]+)/.exec(child.stdout())?.[1];
    });
    await this.ready();
    return performance.now() - began;
  }

  /** Returns the end of the log. */
  said(characters = DIAGNOSIS_CHARACTERS): string {
    return (this.child.stdout() + this.child.stderr()).slice(-characters);
  }

  /** Waits until `/readyz` answers with the status. @returns the ms that this took */
  async ready(status = 200): Promise<number> {
    const began = performance.now();
    await this.#until(`${this.name} answers /readyz with ${status}`, async () =>
      (await this.readiness()) === status ? true : undefined,
    );
    return performance.now() - began;
  }

  /** Waits as `until` does; shows the end of the log when the wait fails. */
  async #until<T>(what: string, look: () => Promise<T | undefined> | T | undefined): Promise<T> {
    try {
      return await until(what, look);
    } catch (error) {
      this.#t.comment(this.said());
      throw error;
    }
  }

  /** Returns the status of `/readyz`; undefined without an answer. */
  async readiness(): Promise<number | undefined> {
    try {
      const answer = await fetch(`${this.#url}/readyz`);
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return undefined;
    }
  }

  /** Kills the process (kill -9). */
  kill(): Promise<Ended> {
    this.#url = undefined;
    return this.child.kill();
  }

  /**
   * Ends the service (SIGTERM); the router sends it no new calls, as a balancer would.
   * @returns exit code, signal, and the ms until the end
   */
  async stop(): Promise<Ended & { readonly ms: number }> {
    const began = performance.now();
    this.#url = undefined;
    this.child.process.kill('SIGTERM');
    return { ...(await this.child.ended), ms: performance.now() - began };
  }

  /** Stops the process (SIGSTOP); its connections stay open. */
  freeze(): void {
    this.child.process.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.process.kill('SIGCONT');
  }
}
