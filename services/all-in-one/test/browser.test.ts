/**
 * Tests the demonstration as a person sees it: a real browser, the built console, the real server and its
 * agent.
 */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '@sentinel-node/test-kit/test-servers';
import { brokenLink, changeByte, seesAlert, transactionOf, turnOff } from './browser-alerts.ts';
import { confirmAtWallet, isLive, logOut, toWallet } from './browser-sign-in.ts';
import { journey } from './browser-stage.ts';
import { fact } from './browser-visitor.ts';
import { startedNode } from './support/node.ts';

const PERSON = { email: 'demo@example.org', name: 'Demo Admin' };
const DEVICE = 'This machine';
/** Number of the demonstration's files. */
const FILES = 4;
const JOURNAL = { alert: 'Hash breach', file: 'Journal' };
const PROGRAM = { alert: 'Unexpected change', file: 'Program' };

/** Console error of the browser about a call with an ended session. */
const UNAUTHORIZED = /status of 401/;

/** The server comes back at the same address. */
const [port] = await freePorts(1);
const environment = {
  SENTINEL_DEMO: 'on',
  SENTINEL_INTERVAL_MISSION_CRITICAL: '3',
  SENTINEL_PORT: String(port),
};
journey('the demonstration in a browser', startedNode, environment, async (stage) => {
  const printed = stage.node.child.stderr();
  const folder = /an agent watches (.+)$/m.exec(printed)?.[1] ?? '';
  const link = /(http:\S+\/login\?\S+)$/m.exec(printed)?.[1] ?? '';
  const demo = await stage.visitor();
  const other = await stage.visitor({ dark: true });

  await stage.part('the printed link leads over the wallet into the console [S1.1] [S2.13]', async (t) => {
    for (const visitor of [demo, other]) {
      const { page } = visitor;
      await page.goto(link);
      await toWallet(t, visitor);
      t.equal(await page.getByLabel('E-mail').inputValue(), PERSON.email);
      t.equal(await page.getByLabel('Name').inputValue(), PERSON.name);
      if (visitor === demo) await visitor.accessible(t, 'the wallet');
      await confirmAtWallet(t, visitor, '/dashboard');
      await isLive(visitor);
      await page.goto(link);
      await page.waitForURL('**/dashboard');
      await isLive(visitor);
    }
  });

  await stage.part('the demonstration is there, watched by its agent [S1.6]', async (t) => {
    const { page } = demo;
    for (const name of ['Health', 'Performance', 'Notifications', 'Events']) {
      await page.getByRole('heading', { name, exact: true }).waitFor();
    }
    await page.getByRole('table', { name: 'Events' }).getByText('This machine').first().waitFor();
    await demo.accessible(t, 'dashboard');
    await demo.visit('Devices');
    await page.getByRole('row').filter({ hasText: DEVICE }).click();
    await demo.heading(DEVICE).waitFor();
    await page
      .getByText('In contact', { exact: true })
      .nth(FILES - 1)
      .waitFor();
    await demo.accessible(t, 'device');
    await page.getByRole('link', { name: PROGRAM.file, exact: true }).click();
    const panel = demo.dialog(PROGRAM.file);
    await panel.locator('li[data-type]').first().waitFor();
    await demo.accessible(t, 'file');
    await panel.getByRole('button', { name: 'Close', exact: true }).click();
  });

  await stage.part(
    'a byte in the middle of the followed log: an alert, dismissed [S4.1] [S4.2] [S4.4]',
    async (t) => {
      const { page } = demo;
      await demo.visit('Dashboard');
      await other.visit('Alerts');
      await page.getByText('Healthy', { exact: true }).waitFor();
      const began = performance.now();
      await seesAlert(t, demo, JOURNAL, () => changeByte(join(folder, 'journal.log'), 10, 'X'));
      await page.getByText('Needs attention', { exact: true }).waitFor();
      const row = other.page
        .getByRole('table', { name: 'Alerts' })
        .getByRole('row')
        .filter({ hasText: JOURNAL.file });
      await row.getByText('Active', { exact: true }).waitFor();
      await page.getByRole('list', { name: 'Latest active alerts' }).getByRole('link').first().click();
      const panel = demo.dialog(JOURNAL.alert);
      await brokenLink(panel, 'BREAK').getByText('Break', { exact: true }).waitFor();
      t.match(await transactionOf(panel), /^[0-9a-f]{64}$/);
      t.comment(`transaction shown ${Math.round(performance.now() - began)} ms after the change`);
      await demo.accessible(t, 'alert');
      await turnOff(t, demo, panel, {
        action: 'Dismiss',
        question: 'Are you sure you want to dismiss this alert?',
        note: 'A test of the disk',
        by: PERSON.email,
        status: 'Dismissed',
      });
      await brokenLink(panel, 'OVERRIDEN').getByRole('img', { name: 'Overridden, dismissed' }).waitFor();
      await row.getByText('Dismissed', { exact: true }).waitFor();
    },
  );

  await stage.part(
    'the unmodifiable file: an alert, reset, with a new baseline [S4.1] [S4.2] [S4.4]',
    async (t) => {
      const { page } = other;
      // The first alert's panel is open: the notice must be visible and usable in front of the panel.
      const notice = demo.page.getByRole('alert').filter({ hasText: PROGRAM.file });
      await seesAlert(t, demo, PROGRAM, () => appendFile(join(folder, 'program.sh'), '# changed\n'));
      await notice.getByRole('button', { name: 'Show', exact: true }).click();
      const row = page
        .getByRole('table', { name: 'Alerts' })
        .getByRole('row')
        .filter({ hasText: PROGRAM.file });
      await row.click();
      const panel = other.dialog(PROGRAM.alert);
      await turnOff(t, other, panel, {
        action: 'Reset',
        question: 'Are you sure you want to reset the chain of this file?',
        note: 'We installed version 2',
        by: PERSON.email,
        status: 'Reset',
      });
      for (const visitor of [other, demo]) {
        const seen = visitor.dialog(PROGRAM.alert);
        await fact(seen, 'Note').getByText('We installed version 2', { exact: true }).waitFor();
        await brokenLink(seen, 'OVERRIDEN').getByRole('img', { name: 'Overridden, reset' }).waitFor();
        await seen.locator('li[data-type=END]').getByText('First hash', { exact: true }).waitFor();
        t.match(await transactionOf(seen), /^[0-9a-f]{64}$/);
      }
      const numbers = await panel.locator('.chain-list .entry-number').allInnerTexts();
      t.same(
        numbers,
        numbers.map((_, at) => `#${numbers.length - 1 - at}`),
        'every number down to 0 is named',
      );
      await panel.locator('[data-kind=GENESIS]').getByText('Chain begins', { exact: true }).waitFor();
      await panel.locator('[data-kind=RESET]').getByText('Chain reset', { exact: true }).waitFor();
      await other.accessible(t, 'reset alert, dark');
      await demo.dialog(PROGRAM.alert).getByRole('button', { name: 'Close', exact: true }).click();
      await panel.getByRole('button', { name: 'Close', exact: true }).click();
      await row.getByText('Reset', { exact: true }).waitFor();
      await other.accessible(t, 'alerts, dark');
    },
  );

  await stage.part('the server is restarted while the console is open', async (t) => {
    const { page } = demo;
    await demo.visit('Dashboard');
    await demo.heading('Dashboard').waitFor();
    const { documents } = demo;
    const lost = page.getByText('Connection lost', { exact: false });
    await stage.withoutServer(async () => {
      await stage.node.stop();
      await lost.waitFor();
      await page.locator('.live-mark[data-state=stale]').getByText('Offline').waitFor();
      await demo.accessible(t, 'dashboard without a server');
      await stage.node.start();
      for (const visitor of [demo, other]) await isLive(visitor);
    });
    await lost.waitFor({ state: 'detached' });
    await seesAlert(t, demo, PROGRAM, () => appendFile(join(folder, 'program.sh'), '# changed again\n'));
    t.equal(demo.documents, documents, 'without a reload');
  });

  await stage.part('a session is restored, and ends everywhere at once [S2.12] [S4.17]', async (t) => {
    await logOut(t, demo, PERSON.email);
    const second = await stage.visitor({ sharing: other });
    await second.page.goto(new URL('/dashboard', link).href);
    await isLive(second);
    other.allowed = UNAUTHORIZED;
    await logOut(t, second, PERSON.email);
    await other.page.waitForURL('**/login');
    await other.button('Log in with e2wallet').waitFor();
  });
});
