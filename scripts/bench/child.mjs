/** Child processes of a run. They answer messages, and end with the run at the latest. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS } from './settings.mjs';

/** The longest time from the end of a child's work to the end of its process. */
const ENDING_MS = 10_000;

const children = new Set();

export class Child {
  #process;
  #waiting = new Map();
  #calls = 0;
  #failure;

  #patienceMs;

  /** @param {string} file beside this one @param {{execArgv?: string[], env?: object, patienceMs?: number}} options */
  constructor(file, { execArgv = [], env = {}, patienceMs = PATIENCE_MS } = {}) {
    this.#patienceMs = patienceMs;
    const { PATH = '', HOME = '' } = process.env;
    this.#process = fork(fileURLToPath(new URL(file, import.meta.url)), [], {
      execArgv,
      env: { PATH, HOME, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.add(this.#process);
    this.#process.on('message', (answer) => this.#answer(answer));
    this.#process.on('error', (error) => this.#fail(error));
    this.#process.on('exit', (code, signal) => {
      children.delete(this.#process);
      this.#fail(new Error(`${file} ended with ${signal ?? code}`));
    });
  }

  get pid() {
    return this.#process.pid;
  }

  /** @throws Error with the child's message */
  ask(op, args = {}) {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const call = this.#calls++;
      const late = setTimeout(() => this.#fail(new Error(`no answer to ${op}`)), this.#patienceMs);
      this.#waiting.set(call, { resolve, reject, late });
      this.#process.send({ call, op, args });
    });
  }

  async stop() {
    if (this.#failure !== undefined) return;
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    await this.ask('stop');
    // The child then ends by itself, so that it writes a requested profile.
    this.#process.disconnect();
    const late = setTimeout(() => this.#process.kill('SIGKILL'), ENDING_MS);
    await gone;
    clearTimeout(late);
  }

  /** Ends the process at once, as `kill -9` does. */
  async kill() {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill('SIGKILL');
    await gone;
  }

  #answer({ call, value, error }) {
    const waiting = this.#waiting.get(call);
    if (waiting === undefined) return;
    this.#waiting.delete(call);
    clearTimeout(waiting.late);
    if (error === undefined) waiting.resolve(value);
    else waiting.reject(new Error(error));
  }

  #fail(error) {
    this.#failure ??= error;
    for (const { reject, late } of this.#waiting.values()) {
      clearTimeout(late);
      reject(this.#failure);
    }
    this.#waiting.clear();
  }
}

export function killAll() {
  for (const child of children) child.kill('SIGKILL');
}

/** Answers the parent's calls with `operations`, by name. The child ends when the parent ends. */
export function answerCalls(operations) {
  process.on('disconnect', () => process.exit(0));
  process.on('message', async ({ call, op, args }) => {
    try {
      process.send({ call, value: await operations[op](args) });
    } catch (error) {
      process.send({ call, error: error instanceof Error ? error.stack : String(error) });
    }
  });
}
