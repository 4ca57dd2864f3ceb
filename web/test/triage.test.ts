/** Many alerts handled at once: chosen by clicks or by the filter, one note, an answer for each. */
import type { TurnedOffAlerts } from '@sentinel-node/contracts';
import { violationsOf } from '@sentinel-node/test-kit/axe';
import { manyAlerts } from './many-alerts.ts';
import type { Locator, Page } from 'playwright-core';
import type { Mock } from './mock-api.ts';
import { ok, problem, routes } from './mock-routes.ts';
import { afterAnswer, callsTo, consoleTest, holdAnswers, live, loseAnswers, until } from './support.ts';

const calls = (mock: Mock) => callsTo(mock, 'PUT', '/alerts/turnoff/');

/** Leaves the answer to an action, and waits until the list without what was handled is shown. */
async function leave(page: Page, answer: Locator): Promise<void> {
  const list = page.waitForRequest(
    (call) => call.url().includes('/api/v1/alerts/') && call.method() === 'GET',
  );
  await answer.getByRole('button', { name: 'Done' }).click();
  await afterAnswer(page, await list);
}

consoleTest(
  'rows are chosen by click and shift-click, and handled with one note',
  async ({ mock, open }, t) => {
    manyAlerts(mock, 6);
    const page = await open('/alerts-history');
    const boxes = page.getByRole('checkbox', {
      name: 'Select Unexpected change of pg_hba.conf on ledger-db-01',
    });
    await boxes.first().waitFor();
    t.equal(await page.getByRole('checkbox').count(), 8, 'only active alerts can be chosen');
    await boxes.nth(1).click();
    await boxes.nth(4).click({ modifiers: ['Shift'] });
    const bar = page.getByRole('region', { name: 'Selected alerts' });
    await bar.getByText('4 alerts selected').waitFor();
    await boxes.nth(2).click();
    await bar.getByText('3 alerts selected').waitFor();
    t.equal(await page.getByRole('dialog').count(), 0, 'no panel was opened');
    await bar.getByRole('button', { name: 'Dismiss' }).click();
    const question = page.getByRole('alertdialog', { name: 'Are you sure you want to dismiss 3 alerts?' });
    await question.getByRole('button', { name: 'No', exact: true }).click();
    await until(async () => (await question.count()) === 0, 'No closes');
    t.equal(calls(mock).length, 0);
    await bar.getByRole('button', { name: 'Dismiss' }).click();
    await question.getByRole('button', { name: 'Yes', exact: true }).click();
    const note = page.getByRole('dialog', { name: 'Please submit a note' });
    await note.getByRole('button', { name: 'Submit' }).click();
    await note.getByText('Note required').waitFor();
    t.equal(calls(mock).length, 0);
    // Somebody else is faster with one of them.
    Object.assign(mock.world.alerts[3] ?? {}, { status: 'RESOLVED' });
    await note.getByRole('textbox', { name: 'Note' }).fill('Planned deployment');
    await note.getByRole('button', { name: 'Submit' }).click();
    const answer = page.getByRole('alertdialog', {
      name: '2 of 3 alerts dismissed, 1 handled already',
      exact: true,
    });
    await answer.waitFor();
    const earlier = answer.getByRole('list', { name: 'Handled already' }).getByRole('listitem');
    t.equal(await earlier.count(), 1);
    t.match(await earlier.innerText(), /Unexpected change pg_hba\.conf on ledger-db-01/);
    t.equal(await answer.getByRole('list', { name: 'Not handled' }).count(), 0);
    const body = calls(mock)[0]?.body;
    t.match(body, { note: 'Planned deployment', status: 'RESOLVED' });
    t.same(
      body?.['ids'],
      [1, 3, 4].map((n) => mock.world.alerts[n]?.id),
    );
    await answer.getByRole('button', { name: 'Done' }).click();
    await until(async () => (await bar.count()) === 0, 'all are handled, and none is chosen');
    await until(async () => (await page.getByRole('checkbox').count()) === 5, 'the rows say so');
    await boxes.first().click();
    await bar.getByRole('button', { name: 'Clear' }).click();
    await until(async () => (await bar.count()) === 0, 'nothing is chosen');
  },
);

consoleTest('all that match are chosen across pages, and nothing else', async ({ mock, open }, t) => {
  manyAlerts(mock, 230);
  const page = await open('/alerts-history?search=ledger-db-01');
  await page.getByRole('checkbox').first().click();
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByText('230 alerts selected').waitFor();
  await bar.getByRole('button', { name: 'Reset' }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('New release');
  await page.getByRole('button', { name: 'Submit' }).click();
  const answer = page.getByRole('alertdialog', { name: '230 of 230 alerts reset' });
  await answer.waitFor();
  t.equal(await answer.getByRole('list', { name: 'Not handled' }).count(), 0);
  t.equal(calls(mock).length, 10, 'some at a time');
  t.equal(mock.world.alerts.filter(({ status }) => status === 'ACTIVE').length, 2, 'those of other devices');
});

consoleTest(
  'pages that cannot be read are said, and those that were read stay chosen',
  async ({ mock, open }, t) => {
    manyAlerts(mock, 230);
    const page = await open('/alerts-history?search=ledger-db-01');
    await page.getByRole('checkbox').first().click();
    const bar = page.getByRole('region', { name: 'Selected alerts' });
    let pages = 0;
    mock.overrides.set('GET /alerts/*', (request) => {
      // The list itself may read its next page, of another length.
      if (request.query.get('limit') === '200') pages += 1;
      return pages <= 1 ? routes['GET /alerts/*']!(mock.world, request, []) : problem('UNAVAILABLE');
    });
    await bar.getByRole('button', { name: 'Select all that match' }).click();
    await bar.getByRole('button', { name: 'Not all could be read. Try again' }).waitFor();
    const said = bar.getByRole('status').filter({ hasText: 'Not all alerts that match could be selected.' });
    t.equal(await said.count(), 1, 'a screen reader hears it');
    await bar.getByText('200 alerts selected').waitFor();
    mock.overrides.clear();
    await bar.getByRole('button', { name: 'Not all could be read. Try again' }).click();
    await bar.getByText('230 alerts selected').waitFor();
    t.equal(pages, 2);
  },
);

consoleTest('what could not be sent is said, and stays chosen', async ({ mock, open }, t) => {
  manyAlerts(mock, 30);
  mock.overrides.set('PUT /alerts/turnoff/*', () => problem('OVERLOADED'));
  const page = await open('/alerts-history?device=&status=ACTIVE');
  await page.getByRole('checkbox').first().click();
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByText('32 alerts selected').waitFor();
  await bar.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('Planned');
  await page.getByRole('button', { name: 'Submit' }).click();
  const answer = page.getByRole('alertdialog', { name: '0 of 32 alerts dismissed' });
  const failures = answer.getByRole('list', { name: 'Not handled' }).getByRole('listitem');
  await until(async () => (await failures.count()) === 32, 'an answer for each');
  t.match(await failures.last().innerText(), /Not tried: the ones before it could not be sent\./);
  t.equal(calls(mock).length, 1, 'the rest is not sent');
  await answer.getByRole('button', { name: 'Done' }).click();
  await bar.getByText('32 alerts selected').waitFor();
});

consoleTest(
  'an alert that occurred again since it was chosen is left, and is looked at before it is chosen again',
  async ({ mock, open }, t) => {
    manyAlerts(mock, 2);
    const page = await open('/alerts-history?device=&status=ACTIVE');
    const bar = page.getByRole('region', { name: 'Selected alerts' });
    const boxes = page.getByRole('checkbox', {
      name: 'Select Unexpected change of pg_hba.conf on ledger-db-01',
    });
    await boxes.nth(0).click();
    await boxes.nth(1).click();
    await bar.getByText('2 alerts selected').waitFor();
    const [again, once] = mock.world.alerts;
    const seen = [again!.occurrences, once!.occurrences];
    Object.assign(again!, { occurrences: again!.occurrences + 1 });
    await bar.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('Planned');
    await page.getByRole('button', { name: 'Submit' }).click();
    const answer = page.getByRole('alertdialog', { name: '1 of 2 alerts dismissed' });
    const failures = answer.getByRole('list', { name: 'Not handled' }).getByRole('listitem');
    await until(async () => (await failures.count()) === 1, 'the one that occurred again');
    t.match(await failures.innerText(), /occurred again/);
    t.match(calls(mock)[0]?.body, { occurrences: seen });
    t.equal(again!.status, 'ACTIVE');
    await leave(page, answer);
    await until(async () => (await bar.count()) === 0, 'what was seen before is chosen no longer');
    await boxes.first().click();
    await bar.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('Planned');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByRole('alertdialog', { name: '1 of 1 alert dismissed' }).waitFor();
  },
);

consoleTest('what may be handled all the same is not called “Not handled”', async ({ mock, open }, t) => {
  manyAlerts(mock, 30);
  const page = await open('/alerts-history?device=&status=ACTIVE');
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  const dismiss = async (note = 'Planned'): Promise<void> => {
    await bar.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill(note);
    await page.getByRole('button', { name: 'Submit' }).click();
  };
  // The view is behind with the first: its claim stands.
  mock.overrides.set('PUT /alerts/turnoff/*', (request) => {
    const { body } = routes['PUT /alerts/turnoff/*']!(mock.world, request, []);
    const { answers } = body as TurnedOffAlerts;
    return ok({ answers: answers.map((each, n) => (n === 0 ? { ...each, code: 'UNAVAILABLE' } : each)) });
  });
  await page.getByRole('checkbox').nth(0).click();
  await page.getByRole('checkbox').nth(1).click();
  await dismiss();
  const one = page.getByRole('alertdialog', { name: '1 of 2 alerts dismissed, 1 not known' });
  const unknown = one.getByRole('list', { name: 'It is not known whether these were dismissed' });
  await unknown.waitFor();
  t.equal(await unknown.getByRole('listitem').count(), 1);
  t.equal(await one.getByRole('list', { name: 'Not handled' }).count(), 0);
  await leave(page, one);
  await bar.getByText('1 alert selected').waitFor();
  await bar.getByRole('button', { name: 'Clear' }).click();

  // A call whose answer is lost has handled all of its alerts.
  mock.overrides.clear();
  await page.getByRole('checkbox').first().click();
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByText('30 alerts selected').waitFor();
  await loseAnswers(page, '**/api/v1/alerts/turnoff/**');
  await dismiss();
  const all = page.getByRole('alertdialog', { name: '0 of 30 alerts dismissed, 25 not known' });
  const lost = all.getByRole('list', { name: 'It is not known whether these were dismissed' });
  await until(async () => (await lost.getByRole('listitem').count()) === 25, 'those of the call');
  t.match(await lost.getByRole('listitem').first().innerText(), /The server cannot be reached/);
  const left = all.getByRole('list', { name: 'Not handled' }).getByRole('listitem');
  t.same(
    await left.locator('.muted').allInnerTexts(),
    Array.from({ length: 5 }, () => 'Not tried: the ones before it could not be sent.'),
  );
  const violations = await violationsOf(page);
  t.same(
    violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`),
    [],
  );
  await leave(page, all);

  // With another note the second try is another command, which the server refuses.
  await bar.getByText('30 alerts selected').waitFor();
  await page.unrouteAll();
  await dismiss('Planned, once more');
  const second = page.getByRole('alertdialog', {
    name: '5 of 30 alerts dismissed, 25 handled already',
    exact: true,
  });
  const earlier = second.getByRole('list', { name: 'Handled already' }).getByRole('listitem');
  await until(async () => (await earlier.count()) === 25, 'those of the first try');
  t.equal(await second.getByRole('list', { name: 'Not handled' }).count(), 0);
  t.equal(await second.getByText(/[Ss]omebody/).count(), 0, 'nobody else was here');
  await second.getByRole('button', { name: 'Done' }).click();
  await until(async () => (await bar.count()) === 0, 'all are handled, and none is chosen');
});

consoleTest('a row that gets the focus is not under the actions', async ({ mock, open }, t) => {
  manyAlerts(mock, 30);
  for (const width of [1440, 390]) {
    const page = await open('/alerts-history?rows=50', { width });
    const boxes = page.getByRole('checkbox');
    await boxes.first().click();
    await page.getByRole('region', { name: 'Selected alerts' }).waitFor();
    for (let row = 0; row < 12; row += 1) {
      await page.keyboard.press('Tab');
      const isSeen = await page.evaluate(() => {
        const focused = document.activeElement;
        if (focused === null || focused.closest('tbody') === null) return true;
        const { left, top, width: wide, height } = focused.getBoundingClientRect();
        const found = document.elementFromPoint(left + wide / 2, top + height / 2);
        return found?.closest('.triage-bar') === null;
      });
      t.ok(isSeen, `step ${row} at ${width}`);
    }
    await page.close();
  }
});

consoleTest(
  'while all that match are read, Clear and unticking count, and no action begins',
  async ({ mock, open }, t) => {
    manyAlerts(mock, 230);
    const page = await open('/alerts-history?search=ledger-db-01');
    const boxes = page.getByRole('checkbox');
    await boxes.first().click();
    const bar = page.getByRole('region', { name: 'Selected alerts' });
    const furtherRead = /\/alerts\/[^/]+\?.*lastId=/;
    let go = (): void => undefined;
    const hold = async (): Promise<void> => {
      const gone = new Promise<void>((resolve) => (go = resolve));
      await page.unrouteAll();
      await page.route(furtherRead, async (route) => {
        await gone;
        await route.continue().catch(() => undefined); // the page may have given up the read
      });
    };
    await hold();
    await bar.getByRole('button', { name: 'Select all that match' }).click();
    await bar.getByText('200 alerts selected').waitFor();
    for (const name of ['Assign', 'Reset', 'Dismiss'])
      t.equal(await bar.getByRole('button', { name, exact: true }).getAttribute('aria-busy'), 'true', name);
    await page.keyboard.press('d');
    t.equal(await page.getByRole('alertdialog').count(), 0, 'the number would grow under the question');
    await boxes.nth(3).click();
    await bar.getByText('199 alerts selected').waitFor();
    go();
    await bar.getByText('229 alerts selected').waitFor();
    t.notOk(await boxes.nth(3).isChecked(), 'what was taken out stays out');

    await hold();
    const asked = page.waitForRequest(furtherRead);
    await bar.getByRole('button', { name: 'Select all that match' }).click();
    const read = await asked;
    await bar.getByRole('button', { name: 'Clear' }).click();
    await until(async () => (await bar.count()) === 0, 'cleared');
    go();
    await afterAnswer(page, read);
    t.equal(await bar.count(), 0, 'and it stays cleared');

    await boxes.first().click();
    await bar.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('alertdialog', { name: 'Are you sure you want to dismiss 1 alert?' }).waitFor();
    await page.getByRole('button', { name: 'Yes', exact: true }).click();
    await page.getByText('Please explain why this alert can be dismissed.').waitFor();
  },
);

/** Chooses 60 alerts and begins to dismiss them; the answers wait for the returned function. */
async function beginToDismiss(page: Page): Promise<() => void> {
  await page.getByRole('checkbox').first().click();
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  await bar.getByRole('button', { name: 'Select all that match' }).click();
  await bar.getByText('60 alerts selected').waitFor();
  await bar.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: 'Yes', exact: true }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('Planned');
  const release = await holdAnswers(page, '**/api/v1/alerts/turnoff/**');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByRole('alertdialog', { name: '0 of 60 alerts dismissed' }).waitFor();
  return release;
}

consoleTest('Escape stops the work as Stop does, and its result is seen', async ({ mock, open }, t) => {
  manyAlerts(mock, 58);
  const page = await open('/alerts-history?device=&status=ACTIVE');
  const release = await beginToDismiss(page);
  const work = page.getByRole('alertdialog', { name: /alerts dismissed$/ });
  // The browser asks the page at the first Escape only.
  for (let n = 0; n < 3; n += 1) await page.keyboard.press('Escape');
  t.ok(await work.evaluate((dialog) => dialog.matches(':modal')));
  release();
  await work.getByRole('button', { name: 'Done' }).waitFor();
  t.equal(await work.getAttribute('data-closing'), null, 'it is seen');
  t.equal(await work.getByRole('heading').innerText(), '25 of 60 alerts dismissed');
  t.equal(calls(mock).length, 1);
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Selected alerts' }).getByText('35 alerts selected').waitFor();
  await until(async () => (await work.count()) === 0, 'it closes');
});

consoleTest('Back asks before the work is left, and then it stops', async ({ mock, open }, t) => {
  manyAlerts(mock, 58);
  const page = await open('/alerts-history');
  await page.getByLabel('Status').selectOption('ACTIVE');
  await page.waitForURL('**status=ACTIVE');
  const release = await beginToDismiss(page);
  await page.goBack();
  const question = page.getByRole('alertdialog', { name: 'Do you want to stop?' });
  await question.getByText('The alerts that are left stay as they are.').waitFor();
  await question.getByRole('button', { name: 'No', exact: true }).click();
  await until(async () => (await question.count()) === 0, 'No closes');
  await page.getByRole('alertdialog', { name: '0 of 60 alerts dismissed' }).waitFor();
  t.match(page.url(), /status=ACTIVE/);
  await page.goBack();
  await question.getByRole('button', { name: 'Yes', exact: true }).click();
  await until(() => !page.url().includes('status=ACTIVE'), 'back');
  t.equal(await page.getByRole('alertdialog').count(), 0);
  const answered = page.waitForResponse('**/api/v1/alerts/turnoff/**');
  release();
  await answered;
  await live(page);
  const reads = callsTo(mock, 'GET', '/alerts/').length;
  mock.send('resync', {});
  await until(() => callsTo(mock, 'GET', '/alerts/').length > reads, 'something else is sent after it');
  t.equal(calls(mock).length, 1, 'the rest is not sent');
});

consoleTest('Stop lets the running call end, and sends nothing more', async ({ mock, open }, t) => {
  manyAlerts(mock, 58);
  const page = await open('/alerts-history?device=&status=ACTIVE');
  const bar = page.getByRole('region', { name: 'Selected alerts' });
  const release = await beginToDismiss(page);
  const work = page.getByRole('alertdialog', { name: '0 of 60 alerts dismissed' });
  await work.getByRole('button', { name: 'Stop' }).click();
  t.equal(await work.getByRole('progressbar', { name: 'Progress' }).getAttribute('value'), '0');
  release();
  const answer = page.getByRole('alertdialog', { name: '25 of 60 alerts dismissed' });
  const failures = answer.getByRole('list', { name: 'Not handled' }).getByRole('listitem');
  await answer.getByRole('button', { name: 'Done' }).waitFor();
  const said = await failures.locator('.muted').allInnerTexts();
  t.same(
    said,
    Array.from({ length: 35 }, () => 'Not tried: it was stopped.'),
  );
  t.equal(calls(mock).length, 1, 'the rest is not sent');
  t.equal(mock.world.alerts.filter(({ status }) => status === 'ACTIVE').length, 35);
  await answer.getByRole('button', { name: 'Done' }).click();
  await bar.getByText('35 alerts selected').waitFor();
});
