/** Processes that change files; each file belongs to one process, which works in order. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { Operation } from './disk.ts';
import type { Order } from './hand.ts';
import type { Done } from './history.ts';

const HANDS = 2;
const HAND = fileURLToPath(new URL('hand.js', import.meta.url));

export class Hands {
  /** Completed operations, in the order of their ends. */
  readonly done: Done[] = [];
  readonly #hands: readonly ChildProcess[];
  readonly #pathOf: (file: number) => string;
  #ordered = 0;
  /** Why a process ended early; undefined without such an end. */
  failure: string | undefined;

  constructor(t: Test, pathOf: (file: number) => string) {
    this.#pathOf = pathOf;
    this.#hands = Array.from({ length: HANDS }, () => {
      const hand = fork(HAND, [], { execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
      let said = '';
      hand.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
      hand.on('message', (done: Done) => this.done.push(done));
      hand.once('exit', (code, signal) => {
        if (code !== 0) this.failure = `a hand ended with ${code ?? signal}: ${said}`;
      });
      t.teardown(() => hand.kill('SIGKILL'));
      return hand;
    });
  }

  order(operation: Operation): void {
    this.#ordered += 1;
    const order: Order = { operation, path: this.#pathOf(operation.file) };
    this.#hands[operation.file % HANDS]!.send(order);
  }

  /** @throws Error when a hand has ended */
  get isIdle(): boolean {
    if (this.failure !== undefined) throw new Error(this.failure);
    return this.done.length === this.#ordered;
  }
}
