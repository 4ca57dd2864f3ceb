import type { DeviceListItem, LoginResult, Session } from '@sentinel-node/contracts';

/** Makes the calls that set up the demonstration, the same as a person's browser makes. */
export class DemoClient {
  readonly #url: string;
  #token: string | undefined;
  #xsrf = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Signs in with the development wallet. */
  async signIn(email: string, name: string): Promise<Session> {
    const { access_token } = (await this.call('POST', '/dev-wallet/login', { email, name })) as {
      access_token: string;
    };
    const response = await fetch(
      `${this.#url}/api/v1/login?access_token=${encodeURIComponent(access_token)}`,
    );
    const result = (await response.json()) as LoginResult;
    if (!result.success) throw new Error('the development wallet did not sign the demonstration in');
    const cookie = response.headers.getSetCookie().find((one) => one.startsWith('XSRF-TOKEN='));
    this.#token = result.token;
    this.#xsrf = /^XSRF-TOKEN=([^;]*)/.exec(cookie ?? '')?.[1] ?? '';
    return result;
  }

  session(): Promise<Session> {
    return this.api('GET', '/session') as Promise<Session>;
  }

  async devices(orgId: string): Promise<DeviceListItem[]> {
    return ((await this.api('GET', `/devices/${orgId}`)) as { devices: DeviceListItem[] }).devices;
  }

  api(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.call(method, `/api/v1${path}`, body);
  }

  /** Makes one call. @throws Error with the server's message when the status is not 2xx */
  async call(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.#token === undefined ? {} : { 'x-access-token': this.#token, 'x-xsrf-token': this.#xsrf }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }
}
