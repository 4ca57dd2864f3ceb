/** Process that attacks a server with one organisation's rights, in every way at once, until SIGTERM. */
import { createHash, randomUUID } from 'node:crypto';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { serviceOf } from './routes.ts';

export interface NoiseMaker {
  /** Address of each service, without the web server in front, which shares a process with the test. */
  readonly urls: Readonly<Record<string, string | undefined>>;
  readonly orgId: string;
  readonly people: readonly { readonly token: string; readonly xsrf: string }[];
  readonly devices: readonly {
    readonly id: string;
    readonly apiKey: string;
    readonly fileIds: readonly string[];
  }[];
  readonly webhookIds: readonly string[];
  /** Device whose unmodifiable files change: each change raises an alert or adds an occurrence. */
  readonly alarming: NoiseMaker['devices'][number];
}

/** Number of attempts by kind and result: a status, `stalled` or `broken`. */
export type NoiseCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** What the process writes to stderr after the first answer to an attack. */
export const BEGUN = 'begun\n';
const BULK_BYTES = 16 * 1_048_576;
const REPORT_BYTES = 1_048_576;
const NDJSON = 'application/x-ndjson';
/** Pause between two attempts of one attacker, in ms; several attackers of each kind work at once. */
const PACE_MS = 50;
/** Pause after a large body was answered, in ms. */
const REFUSED_MS = 1_000;
const STALLED_MS = 8_000;
const SLOW_READ_MS = 1_000;
const ERROR_CHARACTERS = 400;

type Headers = Readonly<Record<string, string>>;

export class Noise {
  readonly #maker: NoiseMaker;
  readonly #counts: Record<string, Record<string, number>> = {};
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 200 });
  #ended = false;
  #onBegun: (() => void) | undefined;

  constructor(maker: NoiseMaker) {
    this.#maker = maker;
  }

  /**
   * Runs the attackers; calls `onBegun` after the first answer to one of them. Resolves with the counts once all have stopped
   * after `end`.
   */
  async run(onBegun: () => void): Promise<NoiseCounts> {
    this.#onBegun = onBegun;
    const { people, devices } = this.#maker;
    const attackers: Promise<void>[] = [];
    const add = (kind: string, count: number, attack: (n: number) => Promise<string>): void => {
      for (let n = 0; n < count; n += 1) attackers.push(this.#repeat(kind, () => attack(n)));
    };
    const person = (n: number) => people[n % people.length]!;
    const device = (n: number) => devices[n % devices.length]!;
    const bulk = Buffer.alloc(BULK_BYTES - 1, '\n');
    const small = Buffer.alloc(REPORT_BYTES - 1, ' ');
    add('bulk bodies that stall', 8, () =>
      this.#stall(this.#bulkPath(device(0).id), NDJSON, device(0).apiKey, bulk),
    );
    add('reports that stall', 12, (n) => {
      const { id, apiKey, fileIds } = device(n);
      return this.#stall(
        `/files/${this.#maker.orgId}/${id}/${fileIds[0]!}`,
        'application/json',
        apiKey,
        small,
      );
    });
    add('bulk bodies', 2, (n) => this.#sendBulk(device(n)));
    add('malformed reports', 2, (n) => {
      const { id, apiKey, fileIds } = device(n);
      return this.#send(
        'POST',
        `/files/${this.#maker.orgId}/${id}/${fileIds[0]!}`,
        { 'x-api-key': apiKey },
        '{',
      );
    });
    add('heartbeats', 2, (n) => this.#heartbeat(device(n)));
    add('keys that were never made', 4, () =>
      this.#send(
        'POST',
        `/files/${this.#maker.orgId}/${randomUUID()}/${randomUUID()}`,
        { 'x-api-key': 'sk1.no' },
        '{}',
      ),
    );
    add('streams cut at once', 4, (n) => this.#cutStream(person(n)));
    add('streams held', 40, (n) => this.#hold(`/stream/${this.#maker.orgId}`, person(n), 0));
    add('exports read slowly', 20, (n) =>
      this.#hold(`/events/${this.#maker.orgId}?toExport=true`, person(n), SLOW_READ_MS),
    );
    add('searches', 6, (n) =>
      this.#send('GET', `/events/${this.#maker.orgId}?deviceName=e&limit=500`, of(person(n))),
    );
    add('expressions', 2, (n) => this.#expressions(person(n), device(n).id));
    add('storms of alerts', 2, () => this.#sendStorm());
    add('tests of webhooks', 4, (n) => this.#testWebhook(person(n), n));
    add('tests of mails', 2, (n) =>
      this.#send('POST', `/notifications/test/${this.#maker.orgId}`, of(person(n)), '{}'),
    );
    add('sign-ins', 3, () => this.#send('GET', '/login?access_token=nobody', {}));
    add('large calls', 4, (n) => this.#stall('/orgs', 'application/json', undefined, small, of(person(n))));
    await Promise.all(attackers);
    this.#agent.destroy();
    return this.#counts;
  }

  end(): void {
    this.#ended = true;
  }

  async #repeat(kind: string, attack: () => Promise<string>): Promise<void> {
    const counts = (this.#counts[kind] ??= {});
    while (!this.#ended) {
      const result = await attack();
      counts[result] = (counts[result] ?? 0) + 1;
      this.#onBegun?.();
      this.#onBegun = undefined;
      await pause(PACE_MS);
    }
  }

  #bulkPath(deviceId: string): string {
    return `/files/bulk/${this.#maker.orgId}/${deviceId}`;
  }

  #open(method: string, path: string, headers: Headers): ClientRequest {
    const whole = `/api/v1${path}`;
    const service = serviceOf(method, whole.replace(/\?.*$/, ''), headers) ?? '';
    return request(`${this.#maker.urls[service]}${whole}`, { method, headers, agent: this.#agent });
  }

  async #send(method: string, path: string, headers: Headers, body?: string): Promise<string> {
    const type = body === undefined ? {} : { 'content-type': headers['content-type'] ?? 'application/json' };
    const sent = this.#open(method, path, { ...headers, ...type });
    const answered = answerOf(sent);
    sent.end(body);
    const answer = await answered;
    answer?.resume();
    return answer === undefined ? 'broken' : String(answer.statusCode);
  }

  /** Sends a body that stops one byte before its end. */
  async #stall(
    path: string,
    type: string,
    apiKey: string | undefined,
    body: Buffer,
    more: Headers = {},
  ): Promise<string> {
    const key: Headers = apiKey === undefined ? {} : { 'x-api-key': apiKey };
    const sent = this.#open('POST', path, {
      ...more,
      ...key,
      'content-type': type,
      'content-length': String(body.length + 1),
    });
    const answered = answerOf(sent);
    sent.write(body);
    const answer = await Promise.race([answered, this.#while(STALLED_MS)]);
    sent.destroy();
    if (answer === 'over') return 'stalled';
    await this.#while(REFUSED_MS);
    return answer === undefined ? 'broken' : String(answer.statusCode);
  }

  #sendStorm(): Promise<string> {
    const { id, apiKey, fileIds } = this.#maker.alarming;
    const timestamp = new Date().toISOString();
    const at = Date.now() * 1_000;
    const lines = fileIds.map((fileId, n) => {
      const hash = createHash('sha256').update(`${fileId} ${at}`).digest('hex');
      const versions = [{ length: 1, hash }];
      return JSON.stringify({ fileId, sequence: at + n, timestamp, change: 'FIRST', versions });
    });
    const headers = { 'x-api-key': apiKey, 'content-type': NDJSON };
    return this.#send('POST', this.#bulkPath(id), headers, lines.join('\n'));
  }

  #testWebhook(person: NoiseMaker['people'][number], n: number): Promise<string> {
    const { orgId, webhookIds } = this.#maker;
    return this.#send(
      'POST',
      `/webhooks/test/${orgId}/${webhookIds[n % webhookIds.length]!}`,
      of(person),
      '{}',
    );
  }

  #sendBulk({ id, apiKey, fileIds }: NoiseMaker['devices'][number]): Promise<string> {
    const timestamp = new Date().toISOString();
    const lines = Array.from({ length: 2_000 }, (_, n) =>
      JSON.stringify({
        fileId: fileIds[n % fileIds.length],
        sequence: Date.now() * 1_000 + n,
        timestamp,
        change: 'ERROR',
        versions: [],
        // Each new error is an event, so that exports and searches have much to read.
        error: { code: `E${n}`, message: 'e'.repeat(ERROR_CHARACTERS) },
      }),
    );
    return this.#send(
      'POST',
      this.#bulkPath(id),
      { 'x-api-key': apiKey, 'content-type': NDJSON },
      lines.join('\n'),
    );
  }

  #heartbeat({ id, apiKey, fileIds }: NoiseMaker['devices'][number]): Promise<string> {
    const timestamp = new Date().toISOString();
    const files = Array.from({ length: 5_000 }, (_, n) => ({
      id: fileIds[n % fileIds.length],
      checkedAt: timestamp,
    }));
    const beat = {
      timestamp,
      instanceId: randomUUID().slice(0, 8),
      agentVersion: '1.0.0',
      queue: 0,
      oldestUnsent: null,
      files,
    };
    return this.#send(
      'POST',
      `/devices/health/${this.#maker.orgId}/${id}`,
      { 'x-api-key': apiKey },
      JSON.stringify(beat),
    );
  }

  async #cutStream(person: NoiseMaker['people'][number]): Promise<string> {
    const sent = this.#open('GET', `/stream/${this.#maker.orgId}`, of(person));
    sent.on('error', () => undefined).end();
    await pause(PACE_MS / 10);
    sent.destroy();
    return 'cut';
  }

  /** Leaves an answer unread, or reads a little every `readMs`, until the server or the noise ends. */
  async #hold(path: string, person: NoiseMaker['people'][number], readMs: number): Promise<string> {
    const sent = this.#open('GET', path, of(person));
    const answered = answerOf(sent);
    sent.end();
    const answer = await answered;
    if (answer === undefined) return 'broken';
    if (answer.statusCode !== 200) {
      answer.resume();
      await pause(SLOW_READ_MS);
      return String(answer.statusCode);
    }
    answer.on('error', () => undefined).pause();
    const closed = new Promise<'over'>((resolve) => answer.once('close', () => resolve('over')));
    while (
      !this.#ended &&
      (await Promise.race([closed, pause(readMs === 0 ? STALLED_MS : readMs)])) !== 'over'
    )
      if (readMs > 0) answer.read(2_048);
    sent.destroy();
    return 'held';
  }

  /** Sends many files with expressions that compile to large programs. */
  #expressions(person: NoiseMaker['people'][number], deviceId: string): Promise<string> {
    const files = Array.from({ length: 40 }, (_, n) => ({
      name: `bomb ${n} ${randomUUID()}`,
      path: `bombs/${randomUUID()}`,
      type: 'TEXT',
      monitoringFrequency: 'FOLLOW',
      rolled: true,
      rolledFilenameRegexp: `${'x{1000}'.repeat(71)}${n}`.slice(0, 500),
      modifiable: true,
      enabled: true,
    }));
    const path = `/devices/files/${this.#maker.orgId}/${deviceId}`;
    return this.#send('PUT', path, of(person), JSON.stringify({ files }));
  }

  async #while(ms: number): Promise<'over'> {
    for (let waited = 0; waited < ms && !this.#ended; waited += PACE_MS) await pause(PACE_MS);
    return 'over';
  }
}

const of = ({ token, xsrf }: NoiseMaker['people'][number]): Headers => ({
  'x-access-token': token,
  'x-xsrf-token': xsrf,
});

function answerOf(sent: ClientRequest): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    sent.once('response', resolve).on('error', () => resolve(undefined));
    sent.once('close', () => resolve(undefined));
  });
}

const settings = process.env['NOISE_MAKER'];
if (settings !== undefined) {
  const noise = new Noise(JSON.parse(settings) as NoiseMaker);
  process.once('SIGTERM', () => noise.end());
  const counts = await noise.run(() => process.stderr.write(BEGUN));
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  process.exit(0);
}
