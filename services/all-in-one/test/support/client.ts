/** A person who uses the HTTP API: development wallet, token, XSRF. */
import { until } from './until.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever an answer holds
  readonly body: any;
}

/** Address of the server, which changes with a restart. */
export interface ApiServer {
  readonly url: string;
}

export async function call(
  server: ApiServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}

export class Person {
  readonly email: string;
  readonly name: string;
  readonly server: ApiServer;
  token = '';
  xsrf = '';
  /** Id of the wallet, and of the user once one exists. */
  userId = '';
  orgId: string | null = null;

  constructor(server: ApiServer, email: string, name: string) {
    this.server = server;
    this.email = email;
    this.name = name;
  }

  /** Signs in with the development wallet. @returns the answer of GET /login */
  async signIn(): Promise<Answer> {
    const { email, name } = this;
    const wallet = await call(this.server, 'POST', '/dev-wallet/login', { email, name });
    const query = new URLSearchParams({ access_token: wallet.body.access_token as string });
    const login = await call(this.server, 'GET', `/api/v1/login?${query.toString()}`);
    if (login.body.success !== true) throw new Error(`${email} was not signed in`);
    const cookie = login.headers.getSetCookie().find((one) => one.startsWith('XSRF-TOKEN='));
    this.xsrf = /^XSRF-TOKEN=([^;]*)/.exec(cookie ?? '')?.[1] ?? '';
    this.token = login.body.token as string;
    this.userId = login.body.userId as string;
    this.orgId = login.body.orgId as string | null;
    return login;
  }

  /** Makes a call below /api/v1. */
  api(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { 'x-access-token': this.token, 'x-xsrf-token': this.xsrf };
    return call(this.server, method, `/api/v1${path}`, body, headers);
  }

  /**
   * Makes a call below /api/v1 that must succeed. @returns the body @throws Error with the server's answer
   */
  async done(method: string, path: string, body?: unknown): Promise<Answer['body']> {
    const answer = await this.api(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Returns the answer to a GET below /api/v1 as it was sent. @throws Error unless the call succeeds */
  async text(path: string): Promise<string> {
    const headers = { 'x-access-token': this.token, 'x-xsrf-token': this.xsrf };
    const answer = await fetch(`${this.server.url}/api/v1${path}`, { headers });
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
    return answer.text();
  }

  /** Waits for a mail to this person with an activation id other than `after`. @returns the id */
  activationId(after?: string): Promise<string> {
    return until(`an activation mail to ${this.email}`, async () => {
      const { body } = await call(this.server, 'GET', '/dev-mail/messages');
      const mail = (body as { to: string; links: string[] }[]).find(({ to }) => to === this.email);
      const id = /\/user\/confirm\/([^/?#]+)/.exec(mail?.links[0] ?? '')?.[1];
      return id === after ? undefined : id;
    });
  }

  /** Confirms with the id in the mail; repeats the call while the service cannot store anything. */
  async confirm(): Promise<void> {
    const path = `/api/v1/users/confirm/link/${await this.activationId()}`;
    const { body } = await until('an answer that is final', async () => {
      const answer = await call(this.server, 'PUT', path);
      return answer.status === 503 ? undefined : answer;
    });
    if (body !== 'OK') throw new Error(`the link did not work: ${JSON.stringify(body)}`);
  }
}

/** Number of founders of each server who have no address of their own. */
const founders = new WeakMap<ApiServer, number>();

/** Returns `ada`, and another word for each further founder of the server. */
function founderWord(server: ApiServer): string {
  const number = (founders.get(server) ?? 0) + 1;
  founders.set(server, number);
  return number === 1 ? 'ada' : `ada-${number}`;
}

/** Returns a signed-in person with a new organisation, as its ADMIN. */
export async function founder(
  server: ApiServer,
  email = `${founderWord(server)}@example.org`,
  name = 'Ada',
): Promise<Member> {
  const person = new Person(server, email, name);
  await person.signIn();
  await person.done('POST', '/orgs', {
    name: `Organisation of ${email}`,
    userName: name,
    e2Id: person.userId,
    emailAddress: email,
  });
  await person.confirm();
  await person.signIn();
  if (person.orgId === null) throw new Error('the organisation was not activated');
  return person as Member;
}

export type Member = Person & { orgId: string };

/** Returns a second person of the same organisation, invited by mail. */
export async function invited(by: Member, email: string, name: string, type = 'REGULAR'): Promise<Member> {
  await by.done('POST', `/users/${by.orgId}`, { name, email, type, orgId: by.orgId });
  const person = new Person(by.server, email, name);
  await person.confirm();
  await person.signIn();
  return person as Member;
}
