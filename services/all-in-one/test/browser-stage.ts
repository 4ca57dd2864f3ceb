/** Provides a browser, a system, and the parts of a journey. */
import t, { type Test } from 'tap';
import { findChromium, launchChromium } from '@sentinel-node/test-kit/test-servers/chromium';
import type { Browser } from 'playwright-core';
import { Visitor, type Look } from './browser-visitor.ts';
import type { System } from './support/system.ts';
import { FILE_MS } from './support/until.ts';

/** Console errors of the browser about calls to a stopped server. */
const SERVER_GONE = /net::ERR_(CONNECTION_|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_)|status of 503/;

export class Stage<S extends System> {
  readonly node: S;
  readonly #t: Test;
  readonly #browser: Browser;
  readonly #visitors: Visitor[] = [];

  constructor(t: Test, node: S, browser: Browser) {
    this.#t = t;
    this.node = node;
    this.#browser = browser;
  }

  async visitor(look: Look = {}): Promise<Visitor> {
    const visitor = await Visitor.open(this.#t, this.#browser, look);
    this.#visitors.push(visitor);
    return visitor;
  }

  /** Runs with a stopped server and allows the browsers' errors about that. */
  async withoutServer(run: () => Promise<void>): Promise<void> {
    for (const visitor of this.#visitors) visitor.allowed = SERVER_GONE;
    await run();
    for (const visitor of this.#visitors) visitor.allowed = undefined;
  }

  /** Runs one part after the other; none after a failed one, because they would only fail too. */
  async part(title: string, run: (t: Test) => Promise<void>): Promise<void> {
    if (!this.#t.passing()) return this.#t.comment(`not tried: ${title}`);
    await this.#t.test(title, { timeout: FILE_MS }, async (t) => {
      try {
        await run(t);
      } catch (error) {
        for (const visitor of this.#visitors) t.comment(await visitor.whereabouts());
        t.comment(this.node.said());
        throw error;
      }
      const complaints = this.#visitors.flatMap((visitor) => visitor.takeComplaints());
      t.same(complaints, [], 'no browser complains');
    });
  }
}

/** Defines the journey of a test file; skipped without a browser. The environment configures the system. */
export function journey<S extends System>(
  title: string,
  start: (t: Test, env: Readonly<Record<string, string>>) => Promise<S>,
  env: Readonly<Record<string, string>>,
  run: (stage: Stage<S>) => Promise<void>,
): void {
  t.setTimeout(FILE_MS);
  const found = findChromium();
  if ('skip' in found) return void t.test(title, found, () => undefined);
  void t.test(title, { timeout: FILE_MS }, async (t) => {
    const node = await start(t, env);
    const browser = await launchChromium(found.path);
    t.teardown(() => browser.close());
    await run(new Stage(t, node, browser));
  });
}
