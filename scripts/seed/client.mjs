/** Calls of people and agents, as browsers and agents make them. */

/** Pause before a busy server is asked again, and the number of retries. */
const RETRY_MS = 250;
const RETRIES = 240;
const BUSY = new Set([429, 503]);
const UNAUTHORIZED = 401;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Makes a call. @throws Error with the server's text unless the answer is 2xx */
async function ask(url, method, path, { headers = {}, body, retries = RETRIES } = {}) {
  for (let left = retries; ; left -= 1) {
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    if (answer.ok) return { answer, value: text === '' ? undefined : JSON.parse(text) };
    if (!BUSY.has(answer.status) || left === 0)
      throw Object.assign(new Error(`${method} ${path}: ${answer.status} ${text}`), {
        status: answer.status,
      });
    await wait(RETRY_MS);
  }
}

const json = (body) =>
  body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };

/** Makes a call that needs no session. */
export const plainCall = async (url, method, path, body) => (await ask(url, method, path, json(body))).value;

/** A member, who signs in with the development wallet, and signs in again when the session has ended. */
export class Person {
  #url;
  #who;
  #headers = {};

  constructor(url, { email, name }) {
    this.#url = url;
    this.#who = { email, name };
  }

  async signIn() {
    const { access_token: token } = await plainCall(this.#url, 'POST', '/dev-wallet/login', this.#who);
    const path = `/api/v1/login?access_token=${encodeURIComponent(token)}`;
    const { answer, value } = await ask(this.#url, 'GET', path);
    const xsrf = /XSRF-TOKEN=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? '';
    this.#headers = { 'x-access-token': value.token, 'x-xsrf-token': xsrf };
    return value;
  }

  async call(method, path, body) {
    const once = async () => {
      const given = json(body);
      const headers = { ...given.headers, ...this.#headers };
      return (await ask(this.#url, method, `/api/v1${path}`, { ...given, headers })).value;
    };
    try {
      return await once();
    } catch (error) {
      if (error.status !== UNAUTHORIZED) throw error;
      await this.signIn();
      return once();
    }
  }
}

/** The agent of one device. */
export class Agent {
  #url;
  #device;
  #retries;

  /** @param {{orgId: string, id: string, apiKey: string}} device @param retries of calls for which the server is too busy */
  constructor(url, device, { retries = RETRIES } = {}) {
    this.#url = url;
    this.#device = device;
    this.#retries = retries;
  }

  /** Returns the same agent for a server that has another address now. */
  at(url) {
    return new Agent(url, this.#device, { retries: this.#retries });
  }

  /** @throws Error when a report was refused */
  async report(reports) {
    const { accepted, rejected } = await this.#post(
      'files/bulk',
      reports.map((one) => JSON.stringify(one)).join('\n'),
      'application/x-ndjson',
    );
    if (accepted !== reports.length)
      throw new Error(`a report was refused: ${JSON.stringify(rejected.slice(0, 1))}`);
  }

  heartbeat(heartbeat) {
    return this.#post('devices/health', JSON.stringify(heartbeat), 'application/json');
  }

  async #post(what, body, type) {
    const { orgId, id, apiKey } = this.#device;
    const headers = { 'content-type': type, 'x-api-key': apiKey };
    const options = { headers, body, retries: this.#retries };
    return (await ask(this.#url, 'POST', `/api/v1/${what}/${orgId}/${id}`, options)).value;
  }
}
