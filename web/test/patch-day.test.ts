/** The morning after a patch day in the console: what asks for attention, and how much work the review is. */
import type { Page } from 'playwright-core';
import { alert, uuid } from './fixtures.ts';
import type { Mock } from './mock-api.ts';
import { dashboard } from './mock-routes.ts';
import { callsTo, consoleTest, until } from './support.ts';

const PLANNED = 5_000;
const EXPECTED = 300;
const UNPLANNED = 3;
const CLICKS_MAX = 6;
/** Of the world: over, and not reviewed yet. */
const WINDOW = { windowId: uuid(702), reason: 'New release of the application' };
const LIST = { listId: uuid(801), reason: 'Release 4.2' };
const NOTE = 'All of it was the release.';
/** Only ends a review that hangs, in ms: it sends 200 calls, one after the other. */
const REVIEW_MS = 180_000;

/** Alerts of the night, newest first: those that nobody planned are the oldest, behind all others. */
function patchDay({ world, overrides }: Mock): { planned: string; unplanned: readonly string[] } {
  const [device, other] = [world.devices[1], world.devices[0]];
  const [file, another] = [device?.files[1], other?.files[0]];
  if (!device || !other || !file || !another) throw new Error('two devices with files');
  const at = (n: number): number => world.now - n * 1_000;
  const planned = Array.from({ length: PLANNED }, (_, n) =>
    alert(n, 'UNEXPECTED_CHANGE', device, file, at(n), { planned: { ...WINDOW, reviewed: false } }),
  );
  const expected = Array.from({ length: EXPECTED }, (_, n) =>
    alert(PLANNED + n, 'UNEXPECTED_CHANGE', device, file, at(PLANNED + n), { expected: LIST }),
  );
  const unplanned = Array.from({ length: UNPLANNED }, (_, n) => {
    const number = PLANNED + EXPECTED + n;
    return alert(number, 'HASH_BREACH', other, another, at(number));
  });
  world.alerts = [...planned, ...expected, ...unplanned];
  overrides.set('GET /dashboard/*', () => {
    const windowsToReview = world.windows.filter(({ state }) => state === 'ENDED').length;
    return { status: 200, body: { ...dashboard(world), windowsToReview } };
  });
  return { planned: planned[0]!.id, unplanned: unplanned.map(({ id }) => id) };
}

/** Counts what a hand does: clicks, and keys that stand for one. Typing a note is no click. */
async function countingClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const counted = globalThis as { clicks?: number };
    counted.clicks = 0;
    addEventListener('click', ({ isTrusted }) => isTrusted && (counted.clicks! += 1), { capture: true });
  });
  return () => page.evaluate(() => (globalThis as { clicks?: number }).clicks ?? Number.NaN);
}

consoleTest(
  'a patch day: three alerts ask for attention, and the rest is reviewed in at most six clicks',
  async ({ mock, open }, t) => {
    const { planned, unplanned } = patchDay(mock);
    const page = await open('/');
    const latest = page.getByRole('list', { name: 'Latest active alerts' });
    await page.getByRole('link', { name: '5,000 planned alerts set aside' }).waitFor();
    await page.getByRole('link', { name: '300 expected alerts set aside' }).waitFor();
    const links = latest.getByRole('link');
    const shown = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    for (const id of unplanned)
      t.ok(
        shown.some((href) => href.includes(id)),
        'each that nobody planned is on the dashboard',
      );
    t.notOk(
      shown.some((href) => href.includes(planned)),
      'and none that was',
    );

    const clicks = await countingClicks(page);
    await page.getByRole('link', { name: '1 maintenance window to be reviewed' }).click();
    await page.getByRole('link', { name: WINDOW.reason }).click();
    await page.getByRole('region', { name: 'The window' }).getByText('5,000 alerts').waitFor();
    await page.getByRole('button', { name: 'Review' }).click();
    const note = page.getByRole('textbox', { name: 'Note' });
    await until(() => note.evaluate((box) => box === document.activeElement), 'the note is where one types');
    await page.keyboard.type(NOTE);
    await page.getByRole('button', { name: 'Submit' }).click();
    await page
      .getByRole('status')
      .getByText(/^[1-9][\d,]* of 5,000 alerts dismissed$/)
      .waitFor();
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
    await page.getByText('Reviewed by').waitFor({ timeout: REVIEW_MS });
    const needed = await clicks();
    t.ok(needed >= 4 && needed <= CLICKS_MAX, `${needed} clicks`);

    const sent = callsTo(mock, 'PUT', '/alerts/turnoff').flatMap(({ body }) => body['ids'] as string[]);
    t.equal(new Set(sent).size, PLANNED, 'each planned one is dismissed');
    t.equal(sent.length, PLANNED, 'once');
    t.match(callsTo(mock, 'PUT', '/maintenance/review')[0]?.body, { note: NOTE });
    const left = mock.world.alerts.filter(({ status, expected }) => status === 'ACTIVE' && !expected);
    t.same(
      left.map(({ id }) => id),
      unplanned,
      'what nobody planned is left',
    );

    await page.getByText(NOTE).waitFor();
    await page.getByRole('link', { name: 'All its alerts' }).click();
    const rows = page.getByRole('table', { name: 'Alerts' }).locator('tbody tr');
    await rows.first().getByRole('link').first().click();
    await page.getByRole('list', { name: 'History of the alert' }).getByText(NOTE).waitFor();

    await page.goto(`${mock.url}/`);
    for (const id of unplanned) await latest.locator(`a[href*="${id}"]`).first().waitFor();
    await until(
      async () => (await page.getByText('maintenance window to be reviewed').count()) === 0,
      'nothing is left to be reviewed',
    );
  },
);
