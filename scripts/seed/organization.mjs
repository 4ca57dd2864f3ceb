/** Makes the organisation and its people with the calls that a new user's browser makes. */
import { Person, plainCall } from './client.mjs';

const DOMAIN = 'big-corp.example';
export const ADMIN = { email: `admin@${DOMAIN}`, name: 'Ada Admin' };
const PEOPLE = [
  { email: `olu@${DOMAIN}`, name: 'Olu Adeyemi', type: 'ADMIN' },
  { email: `mira@${DOMAIN}`, name: 'Mira Novák', type: 'REGULAR' },
  { email: `jun@${DOMAIN}`, name: 'Jun Tanaka', type: 'REGULAR' },
];
/** Longest time from a call to its mail, in milliseconds. */
const MAIL_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 50;

/** @returns {Promise<{orgId: string, admin: Person, people: Person[]}>} `people`: everybody who handles alerts */
export async function makeOrganization(url, name) {
  const admin = new Person(url, ADMIN);
  const { orgId: other, userId } = await admin.signIn();
  if (other !== null) throw new Error(`${ADMIN.email} has an organisation already`);
  const { id: orgId } = await admin.call('POST', '/orgs', {
    name,
    userName: ADMIN.name,
    e2Id: userId,
    emailAddress: ADMIN.email,
  });
  await confirm(url, ADMIN.email);
  const people = [admin];
  for (const { email, name: personName, type } of PEOPLE) {
    await admin.call('POST', `/users/${orgId}`, { name: personName, email, type, orgId });
    await confirm(url, email);
    const person = new Person(url, { email, name: personName });
    await person.signIn();
    people.push(person);
  }
  return { orgId, admin, people };
}

/** Opens the link of the newest mail to this address. */
export async function confirm(url, email) {
  for (const end = performance.now() + MAIL_WITHIN_MS; performance.now() < end;) {
    const mails = await plainCall(url, 'GET', '/dev-mail/messages');
    const link = mails.find(({ to }) => to === email)?.links[0];
    const id = /\/user\/confirm\/([^/?#]+)/.exec(link ?? '')?.[1];
    if (id !== undefined) return plainCall(url, 'PUT', `/api/v1/users/confirm/link/${id}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`no activation mail for ${email} came`);
}
