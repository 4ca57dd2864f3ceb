/** A person at the console in a real Chromium, with the browser's complaints. */
import { violationsOf } from '@sentinel-node/test-kit/axe';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Test } from 'tap';
import { DEADLINE_MS } from './support/until.ts';

const SEVERE = ['serious', 'critical'];

export interface Look {
  readonly width?: number;
  readonly dark?: boolean;
  /** Another visitor whose browser and session this one shares in another tab; default: an own browser. */
  readonly sharing?: Visitor;
}

export class Visitor {
  readonly page: Page;
  /** Console errors, uncaught errors and violations of the content security policy. */
  readonly #complaints: string[] = [];
  /** Number of loaded documents: the console needs only one, whatever happens to the server. */
  documents = 0;
  /** Complaints that are expected now. */
  allowed: RegExp | undefined;

  private constructor(page: Page) {
    this.page = page;
    page.on('load', () => (this.documents += 1));
    page.on('pageerror', (error) => this.#complain(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.#complain(`${message.text()} (${message.location().url})`);
    });
  }

  /**
   * Opens another tab with `sharing`, else an own browser profile, as of another person at another machine.
   */
  static async open(t: Test, browser: Browser, look: Look = {}): Promise<Visitor> {
    const { width = 1440, dark = false, sharing } = look;
    if (sharing !== undefined) return new Visitor(await sharing.page.context().newPage());
    const context = await browser.newContext({
      viewport: { width, height: 900 },
      colorScheme: dark ? 'dark' : 'light',
      reducedMotion: 'reduce',
      locale: 'en-US',
      acceptDownloads: true,
    });
    context.setDefaultTimeout(DEADLINE_MS);
    t.teardown(() => context.close());
    return new Visitor(await context.newPage());
  }

  #complain(text: string): void {
    if (this.allowed?.test(text) !== true) this.#complaints.push(text);
  }

  /** Returns the complaints since the last call. */
  takeComplaints(): string[] {
    return this.#complaints.splice(0);
  }

  /** Returns the page's address and text, for the diagnosis of a failure. */
  async whereabouts(): Promise<string> {
    const text = await this.page.locator('body').innerText();
    return `${this.page.url()}\n${text}`;
  }

  heading(name: string): Locator {
    return this.page.getByRole('heading', { level: 1, name, exact: true });
  }

  button(name: string): Locator {
    return this.page.getByRole('button', { name, exact: true });
  }

  /** Returns the innermost dialog with the title. */
  dialog(name: string): Locator {
    return this.page
      .locator('dialog')
      .filter({ has: this.page.getByRole('heading', { name, exact: true }) })
      .last();
  }

  /** Follows a link of the console's header. */
  async visit(name: 'Dashboard' | 'Alerts' | 'Devices' | 'Users management'): Promise<void> {
    await this.page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name, exact: true })
      .click();
  }

  /** Checks that the present page has no barrier that axe calls serious. */
  async accessible(t: Test, what: string): Promise<void> {
    const violations = await violationsOf(this.page);
    const severe = violations.filter(({ impact }) => SEVERE.includes(impact ?? ''));
    const found = severe.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    t.same(found, [], `${what}: no serious barrier`);
  }
}

/** Returns the value of a term in a list of facts. */
export const fact = (within: Locator, term: string): Locator =>
  within
    .locator('dl > div')
    .filter({ has: within.page().getByText(term, { exact: true }) })
    .locator('dd');
