/** Tests whom the mail about a shared alert names: nobody makes it name an address that is somebody else's. */
import t, { type Test } from 'tap';
import type { KeptMail } from '../src/mail/development-mailer.ts';
import { createPlace, type Place } from './place.ts';
import { eventually, type Person } from './world.ts';

const FOREIGN = 'ceo@bank.example';

async function sharing({ world, orgId, deviceId, history, write }: Place) {
  history.baseline();
  const [alert] = history.breach().alerts;
  await write();
  const path = `/alerts/share/${orgId}/${deviceId}/${alert!.id}`;
  return async (call: Person['call'], to: string): Promise<string> => {
    const answer = await call('POST', path, { sharedEmailAddresses: [to] });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    const { text } = await eventually(async () => {
      const { body } = await world.call('GET', '/dev-mail/messages');
      return (body as KeptMail[]).find((mail) => mail.to === to);
    });
    return text;
  };
}

/** Changes the only user. */
async function change(t: Test, { admin, orgId }: Place, name: string, emailAddress: string): Promise<void> {
  const [user] = (await admin.call('GET', `/users/${orgId}`)).body.users;
  const answer = await admin.call('PUT', `/users/${orgId}/${user.id}`, { name, emailAddress, role: 'ADMIN' });
  t.equal(answer.status, 200);
}

t.test('the address of a person who proved it is named, with the organisation', async (t) => {
  const here = await createPlace(t);
  const share = await sharing(here);
  await change(t, here, 'Ada L.', 'ada@example.org');
  const text = await share(here.admin.call, 'carl@example.com');
  t.match(text, /^Ada L\. \(ada@example\.org\) of Acme shared an alert with you: /);
});

t.test('an address that nobody proved is not named, neither as a name', async (t) => {
  const here = await createPlace(t);
  const share = await sharing(here);
  await change(t, here, 'Ada L.', FOREIGN);
  const plain = await share(here.admin.call, 'carl@example.com');
  t.match(plain, /^Ada L\. of Acme shared an alert with you: /);
  t.notMatch(plain, FOREIGN);
  await change(t, here, FOREIGN, FOREIGN);
  const named = await share(here.admin.call, 'dora@example.com');
  t.match(named, /^A person of Acme shared an alert with you: /);
  t.notMatch(named, FOREIGN);
});

t.test('a program is named as one', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId } = here;
  const share = await sharing(here);
  const program = async (name: string): Promise<Person['call']> => {
    const fields = { name, role: 'REGULAR', readOnly: false };
    const { token } = (await admin.call('POST', `/service-tokens/${orgId}`, fields)).body;
    return (method, path, body) => world.call(method, path, body, { authorization: `Bearer ${token}` });
  };
  const text = await share(await program('Pager'), 'carl@example.com');
  t.match(text, /^The program Pager of Acme shared an alert with you: /);
  const named = await share(await program(FOREIGN), 'dora@example.com');
  t.match(named, /^A program of Acme shared an alert with you: /);
  t.notMatch(named, FOREIGN);
});

t.test('no name turns the text after it, or breaks the line', async (t) => {
  const here = await createPlace(t);
  const share = await sharing(here);
  await change(t, here, 'Ada \u202eevil\u0000', 'ada@example.org');
  const text = await share(here.admin.call, 'carl@example.com');
  t.match(text, String.raw`Ada \u202eevil`);
  // oxlint-disable-next-line no-control-regex -- a name may hold them
  t.notMatch(text.replaceAll('\n', ''), /[\u202e\u0000-\u001f]/);
});
