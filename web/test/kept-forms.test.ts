/** What a person typed, when the session ends or the server fails meanwhile. */
import type { Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import type { Mock } from './mock-api.ts';
import { problem } from './mock-routes.ts';
import {
  callsTo,
  consoleTest,
  delayAnswers,
  holdAnswers,
  live,
  loseAnswers,
  pathOf,
  until,
} from './support.ts';

/** The server ends the session: the stream hears of it first, wherever the person is. */
function endSession(mock: Mock): void {
  mock.revoked = true;
  mock.dropStreams();
}

async function signInAgain(mock: Mock, page: Page): Promise<void> {
  await page.waitForURL('**/login');
  mock.revoked = false;
  await page.getByText('What you typed is kept in this tab.').waitFor();
  await page.getByRole('button', { name: 'Log in with e2wallet' }).click();
}

const device = `/device/${uuid(101)}`;
const forms: [path: string, field: string][] = [
  ['/add-device', 'Device name'],
  [`/edit-device/${uuid(101)}`, 'Device name'],
  [`${device}/add-files`, 'File name'],
  [`${device}/edit-file/${uuid(1004)}`, 'File name'],
  ['/define-user', 'Name'],
  ['/define-maintenance', 'Reason'],
];

consoleTest('a session that ends in a form keeps what was typed', async ({ mock, open }, t) => {
  for (const [path, label] of forms) {
    const page = await open(path);
    const field = page.getByLabel(label, { exact: true });
    await field.fill('typed for an hour');
    endSession(mock);
    await signInAgain(mock, page);
    await page.waitForURL(`**${path}`);
    await page.getByText('What you typed is back.').waitFor();
    t.equal(await field.inputValue(), 'typed for an hour', path);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('alertdialog').getByText('The data you entered will be lost.').waitFor();
    await page.context().close();
  }
});

consoleTest(
  'the note of an alert is there when the person has signed in again',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    const ask = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await page.getByRole('button', { name: 'Yes', exact: true }).click();
    };
    await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    await ask();
    const note = page.getByLabel('Note', { exact: true });
    await note.fill('The release of Tuesday, as planned');
    endSession(mock);
    await signInAgain(mock, page);
    await ask();
    t.equal(await note.inputValue(), 'The release of Tuesday, as planned');
  },
);

consoleTest('a save that finds the session ended returns to the form', async ({ mock, open }, t) => {
  const page = await open('/define-user');
  await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
  await page.getByLabel('Email').fill('grace@example.org');
  await page.getByLabel('User type').selectOption('REGULAR');
  mock.revoked = true;
  await page.getByRole('button', { name: 'Add user' }).click();
  await signInAgain(mock, page);
  await page.waitForURL('**/define-user');
  t.equal(await page.getByLabel('Email').inputValue(), 'grace@example.org');
  await page.getByText('It is not saved yet.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add user' }).click();
  await page.waitForURL('**/users');
  t.equal(await page.getByText('It is not saved yet.').count(), 0, 'not said of what is saved');
  t.equal(callsTo(mock, 'POST', '/users/').length, 2);
});

consoleTest(
  'what comes back into a form does not undo what others changed meanwhile',
  async ({ mock, open }, t) => {
    const of = mock.world.devices[0]!;
    const file = of.files[3]!;
    for (const path of [`/edit-device/${of.id}`, `${device}/edit-file/${file.id}`]) {
      for (const one of [of, file]) Object.assign(one, { enabled: true });
      const page = await open(path);
      const field = page.getByLabel(path.startsWith('/edit') ? 'Device name' : 'File name');
      await field.fill('typed for an hour');
      endSession(mock);
      await page.waitForURL('**/login');
      Object.assign(of, { enabled: false, disabledNote: 'Stopped by Jonas' });
      Object.assign(file, { enabled: false });
      await signInAgain(mock, page);
      await page.getByText('What you typed is back.').waitFor();
      t.equal(await field.inputValue(), 'typed for an hour');
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.waitForURL((url) => url.pathname !== path);
      await page.context().close();
      t.match(of, { enabled: false, disabledNote: 'Stopped by Jonas', name: 'typed for an hour' }, path);
      t.equal(file.enabled, false, path);
    }
    t.equal(file.name, 'typed for an hour');
  },
);

consoleTest('the edited row of a user is open again with what was typed', async ({ mock, open }, t) => {
  const page = await open('/users');
  const edit = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Actions for Jonas Lind' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
  };
  await edit();
  const form = page.getByRole('form', { name: 'Edit Jonas Lind' });
  await form.getByLabel('Name').fill('Jonas of the night shift');
  endSession(mock);
  await signInAgain(mock, page);
  await page.getByText('What you typed is back.').waitFor();
  t.equal(await form.getByLabel('Name').inputValue(), 'Jonas of the night shift');
  mock.overrides.set('PUT /users/*/*', () => problem('UNAVAILABLE'));
  await form.getByRole('button', { name: 'Save' }).click();
  await edit();
  await until(
    async () => (await form.getByLabel('Name').inputValue()) === 'Jonas of the night shift',
    'a save that failed loses nothing',
  );
});

/** What is said of input that may be saved. */
const UNSURE = 'It may be saved already: there was no answer. Look before you save it again.';

consoleTest(
  'input whose save had no answer when the session ended is not called unsaved',
  async ({ mock, open }, t) => {
    const addresses = '**/api/v1/expected/*';
    const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Add the list' }).click();
    const begin = async (): Promise<Page> => {
      const page = await open('/define-expected-changes');
      await page.getByRole('textbox', { name: 'Reason' }).fill('Release 5');
      await page.getByLabel('Covers').selectOption('EVERYTHING');
      await page.getByRole('textbox', { name: 'Contents' }).fill(`${'a'.repeat(64)}  ./shop.js`);
      return page;
    };
    const sent = (): number => callsTo(mock, 'POST', '/expected').length;
    const page = await begin();
    const release = await delayAnswers(page, addresses);
    await save(page);
    await until(() => sent() === 1, 'sent');
    endSession(mock);
    await page.waitForURL('**/login');
    release();
    await signInAgain(mock, page);
    await page.getByText(UNSURE, { exact: true }).waitFor();
    // Nothing is known more when the session ends once more.
    await page.unrouteAll();
    await live(page);
    endSession(mock);
    await signInAgain(mock, page);
    await page.getByText(UNSURE, { exact: true }).waitFor();
    await page.context().close();

    const refused = await begin();
    const releaseRefusal = await holdAnswers(refused, addresses);
    await save(refused);
    await live(refused);
    endSession(mock);
    await refused.waitForURL('**/login');
    const answered = refused.waitForResponse(addresses);
    releaseRefusal();
    t.equal((await answered).status(), 401);
    await refused.unrouteAll();
    await signInAgain(mock, refused);
    await refused.getByText('It is not saved yet.', { exact: true }).waitFor();
  },
);

consoleTest('input whose save failed without an answer is not called unsaved', async ({ open }, t) => {
  const page = await open(`/edit-device/${uuid(101)}`);
  await page.getByLabel('Device name').fill('web-07');
  await loseAnswers(page, `**/api/v1/devices/*/${uuid(101)}`);
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Device was not updated, please try again.').waitFor();
  await page.goto(new URL(`/edit-device/${uuid(101)}`, page.url()).href);
  await page.getByText(UNSURE, { exact: true }).waitFor();
  t.equal(await page.getByText('It is not saved yet.').count(), 0);
});

consoleTest('a chain that is read says nothing about a comment without an answer', async ({ mock, open }) => {
  const page = await open('/alerts-history');
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  await comment.fill('I look at it');
  await loseAnswers(page, '**/api/v1/alerts/comments/**');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await page.getByText('It is not known whether the comment was added.').waitFor();
  const read = page.waitForResponse('**/api/v1/files/chain/**');
  mock.send('resync', {});
  await read;
  endSession(mock);
  await signInAgain(mock, page);
  await page.getByText(UNSURE, { exact: true }).waitFor();
  // The panel that opens again reads the chain too.
  await page.getByRole('list', { name: 'Link chain' }).waitFor();
  endSession(mock);
  await signInAgain(mock, page);
  await page.getByText(UNSURE, { exact: true }).waitFor();
});

consoleTest('a login after a session without input promises nothing', async ({ mock, open }, t) => {
  const page = await open('/devices');
  await live(page);
  endSession(mock);
  await page.getByText('Your session has ended.').waitFor();
  t.equal(await page.getByText('What you typed').count(), 0);
});

consoleTest('another person finds nothing of it', async ({ mock, open }, t) => {
  const page = await open('/add-device');
  await page.getByLabel('Device name').fill('secret project');
  endSession(mock);
  await page.waitForURL('**/login');
  mock.session = { ...mock.session, email: 'other@example.org' };
  await signInAgain(mock, page);
  await page.waitForURL('**/dashboard');
  await page.getByRole('link', { name: 'Add device' }).click();
  t.equal(await page.getByLabel('Device name').inputValue(), '');
});

consoleTest(
  'a device that could not be saved is there when the person tries again',
  async ({ mock, open }, t) => {
    mock.overrides.set('POST /devices/*', () => problem('OVERLOADED'));
    const page = await open('/add-device');
    await page.getByLabel('Device name').fill('web-07');
    await page.getByLabel('Device path').fill('/srv');
    await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
    await page.getByRole('button', { name: 'Add device' }).click();
    await page.getByText('Device was not added, please try again.').waitFor();
    t.equal(pathOf(page), '/devices');
    mock.overrides.clear();
    await page.getByRole('main').getByRole('link', { name: 'Add device' }).click();
    t.equal(await page.getByLabel('Device path').inputValue(), '/srv');
    await page.getByRole('button', { name: 'Add device' }).click();
    await page.getByText('New device was added successfully!').waitFor();
    await page.goto(`${mock.url}/add-device`);
    await until(
      async () => (await page.getByLabel('Device name').inputValue()) === '',
      'saved values are gone',
    );
  },
);

consoleTest(
  'the files of a token are there when the person has signed in again',
  async ({ mock, open }, t) => {
    const page = await open('/define-enrolment');
    await page.getByLabel('Name', { exact: true }).fill('Web servers');
    await page.getByRole('button', { name: 'Add a file +' }).click();
    await page.getByLabel('File name').fill('access log');
    endSession(mock);
    await signInAgain(mock, page);
    await page.getByText('What you typed is back.').waitFor();
    t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Web servers');
    t.equal(await page.getByLabel('File name').inputValue(), 'access log');
    t.equal(await page.getByText('What you typed is back.').count(), 1, 'said once');
  },
);

consoleTest('what was typed in a panel or a dialog comes back too', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  const comment = page.getByRole('textbox', { name: 'Comment' });
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  await comment.fill('I look at it');
  endSession(mock);
  await signInAgain(mock, page);
  await comment.waitFor();
  t.equal(await comment.inputValue(), 'I look at it');

  const share = page.getByRole('dialog', { name: 'Share alert' });
  const openShare = (): Promise<void> => page.getByRole('button', { name: 'Share', exact: true }).click();
  await openShare();
  await share.getByRole('textbox', { name: 'E-mail 1' }).fill('auditor@example.org');
  await share.getByRole('button', { name: 'Add another e-mail +' }).click();
  await share.getByRole('textbox', { name: 'E-mail 2' }).fill('second@example.org');
  endSession(mock);
  await signInAgain(mock, page);
  await openShare();
  t.equal(await share.getByRole('textbox', { name: 'E-mail 1' }).inputValue(), 'auditor@example.org');
  t.equal(await share.getByRole('textbox', { name: 'E-mail 2' }).inputValue(), 'second@example.org');

  await page.goto(`${mock.url}/maintenance/${uuid(702)}`);
  const note = page.getByRole('dialog').getByRole('textbox', { name: 'Note' });
  await page.getByRole('button', { name: 'Review' }).click();
  await note.fill('All of it was the release.');
  endSession(mock);
  await signInAgain(mock, page);
  await page.getByRole('button', { name: 'Review' }).click();
  t.equal(await note.inputValue(), 'All of it was the release.');
});

consoleTest('a comment that is not sent outlives the closed panel', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  const comment = page.getByRole('textbox', { name: 'Comment' });
  const panel = page.getByRole('dialog');
  const openAlert = (name: string): Promise<void> =>
    page.getByRole('link', { name, exact: true }).first().click();
  await openAlert('Hash breach');
  await comment.fill('I look at it');
  await comment.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await openAlert('Unexpected change');
  t.equal(await comment.inputValue(), '', 'of another alert');
  await comment.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await openAlert('Hash breach');
  t.equal(await comment.inputValue(), 'I look at it');
  await page.getByRole('button', { name: 'Add comment' }).click();
  await until(() => callsTo(mock, 'POST', '/alerts/comments/').length === 1, 'sent');
  await until(async () => (await comment.inputValue()) === '', 'empty again');
  await comment.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await openAlert('Hash breach');
  t.equal(await comment.inputValue(), '', 'what was sent does not come back');
});

consoleTest(
  'a comment whose panel was closed is said when it failed, and gone when it was sent',
  async ({ mock, open }, t) => {
    const page = await open('/alerts-history');
    const comment = page.getByRole('textbox', { name: 'Comment' });
    const panel = page.getByRole('dialog');
    const addresses = '**/api/v1/alerts/comments/**';
    const openAlert = (): Promise<void> =>
      page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    const sendAndClose = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Add comment' }).click();
      await comment.press('Escape');
      await panel.waitFor({ state: 'detached' });
    };
    mock.overrides.set('POST /alerts/comments/*/*/*', () => problem('UNAVAILABLE'));
    let release = await delayAnswers(page, addresses);
    await openAlert();
    await comment.fill('I look at it');
    await sendAndClose();
    release();
    await page.getByRole('alert').getByText('It is not known whether the comment was added.').waitFor();
    await page.unrouteAll();
    mock.overrides.clear();

    release = await delayAnswers(page, addresses);
    await openAlert();
    t.equal(await comment.inputValue(), 'I look at it');
    await sendAndClose();
    await openAlert();
    const add = page.getByRole('button', { name: 'Add comment' });
    t.equal(await add.getAttribute('aria-disabled'), 'true', 'it is still being sent');
    release();
    await until(async () => (await comment.inputValue()) === '', 'what was sent does not come back');
    t.equal(await add.getAttribute('aria-disabled'), null);
    t.equal(callsTo(mock, 'POST', '/alerts/comments/').length, 2);
  },
);

consoleTest(
  'settings, a window, and the id at the payment provider come back too',
  async ({ mock, open }, t) => {
    const page = await open('/notifications');
    const mails = page.getByRole('checkbox', { name: 'Send me mails' });
    await mails.uncheck();
    endSession(mock);
    await signInAgain(mock, page);
    await page.getByText('What you typed is back.').waitFor();
    t.notOk(await mails.isChecked());

    await page.goto(`${mock.url}/maintenance/${uuid(701)}`);
    const reason = page.getByRole('dialog').getByLabel('Reason');
    await page.getByRole('button', { name: 'Change' }).click();
    await reason.fill('A longer update');
    endSession(mock);
    await signInAgain(mock, page);
    await page.getByRole('button', { name: 'Change' }).click();
    t.equal(await reason.inputValue(), 'A longer update');

    await page.goto(`${mock.url}/users`);
    const stripe = page.getByLabel('Stripe ID');
    await stripe.fill('cus_42');
    endSession(mock);
    await signInAgain(mock, page);
    await page.getByText('What you typed is back.').waitFor();
    t.equal(await stripe.inputValue(), 'cus_42');
  },
);

consoleTest('an organisation that was refused is typed only once', async ({ mock, open }, t) => {
  mock.session = { ...mock.session, orgId: null, userRole: null };
  mock.overrides.set('POST /orgs', () => problem('ORGANIZATION_ALREADY_EXISTS'));
  const page = await open('/define-organization');
  const name = page.getByLabel('Organization name');
  await name.fill('Northlight');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.getByText('Organization already exists!').waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  t.equal(await name.inputValue(), 'Northlight');
});

consoleTest(
  'a note that could not be saved is there when monitoring is stopped again',
  async ({ mock, open }, t) => {
    const page = await open('/devices');
    const note = page.getByRole('textbox', { name: 'Note', exact: true });
    const ask = async (name: string): Promise<void> => {
      await page.getByRole('switch', { name: `Monitoring of ${name}` }).click();
      await page.getByRole('button', { name: 'Yes', exact: true }).click();
      await note.waitFor();
    };
    const [device, other] = mock.world.devices.filter(
      ({ enabled, status }) => enabled && status === 'ACTIVE',
    );
    mock.overrides.set('PUT /devices/*/*', () => problem('FORBIDDEN'));
    await ask(device!.name);
    await note.fill('It is replaced on Friday');
    await page.getByRole('button', { name: 'Submit' }).click();
    await note.waitFor({ state: 'detached' });
    await ask(other!.name);
    t.equal(await note.inputValue(), '', 'of another device');
    await note.press('Escape');
    await note.waitFor({ state: 'detached' });
    await ask(device!.name);
    t.equal(await note.inputValue(), 'It is replaced on Friday');
  },
);
