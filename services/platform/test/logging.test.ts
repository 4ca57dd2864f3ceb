import t from 'tap';
import { createLog } from '../src/index.ts';
import { humanLine } from '../src/logging/human.ts';

function captured() {
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    service: 'test',
    destination: { write: (line: string) => void lines.push(line) },
  });
  return { log, lines };
}

const API_KEY = `sk1.${'a'.repeat(43)}`;
const ID = '019aa5f0-7c00-7a10-8000-000000000001';
const SHOWN_ONCE = [
  `sst1.${ID}.${'b'.repeat(43)}`,
  `enr1.${ID}.${'c'.repeat(43)}`,
  `whsec_${'d'.repeat(20)}/${'e'.repeat(22)}=`,
];
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

t.test('lines are JSON with time, level and service', async (t) => {
  const { log, lines } = captured();
  log.debug('not written');
  log.child({ requestId: 'r1' }).info({ orgId: 'o' }, 'hello');
  t.equal(lines.length, 1);
  t.match(JSON.parse(lines[0] ?? ''), {
    level: 30,
    service: 'test',
    requestId: 'r1',
    orgId: 'o',
    msg: 'hello',
  });
  t.match(JSON.parse(lines[0] ?? '').time, /^\d{4}-\d{2}-\d{2}T.*Z$/);
});

t.test('lines of level error and above are alarms, and no other line is', (t) => {
  const { log, lines } = captured();
  const child = log.child({ requestId: 'r1' });
  for (const level of ['info', 'warn', 'error', 'fatal'] as const) child[level]({ orgId: 'o' }, level);
  const alarms = lines.map((line) => (JSON.parse(line) as { alarm?: unknown }).alarm);
  t.strictSame(alarms, [undefined, undefined, true, true]);
  t.notMatch(humanLine(lines[2]!), 'alarm', 'the level says it to a person');
  t.end();
});

t.test('tokens, keys, cookies and bodies never reach a line, wherever they stand', async (t) => {
  const { log, lines } = captured();
  const secret = 'very-secret-value';
  log.info({ token: secret, headers: { authorization: secret, cookie: secret, 'x-api-key': secret } }, 'a');
  log.info({ request: { headers: { 'x-access-token': secret, 'x-xsrf-token': secret } } }, 'b');
  log.child({ apiKey: secret, password: secret }).info('c');
  log.info({ body: { note: secret } }, 'd');
  log.info(`GET /login?access_token=${secret}&x=1`);
  log.error({ err: new Error(`bad key ${API_KEY} and ${JWT}`) }, `smtp://user:${secret}@host`);
  log.info({ deep: { er: { and: { deeper: [API_KEY] } } } }, 'e');
  const all = lines.join('');
  t.equal(lines.length, 7);
  for (const hidden of [secret, API_KEY, JWT]) t.notOk(all.includes(hidden), hidden.slice(0, 4));
  for (const line of lines) t.doesNotThrow(() => JSON.parse(line) as unknown, 'still JSON');
});

t.test('tokens of programs and agents, and secrets of webhooks, reach no line', async (t) => {
  for (const secret of SHOWN_ONCE) {
    const { log, lines } = captured();
    log.info({ req: { url: `/api/v1/devices/o?key=${secret}` } }, `refused ${secret}`);
    log.error({ err: new Error(`no such token: "${secret}"`) }, 'failed');
    t.equal(lines.length, 2);
    t.notOk(lines.join('').includes(secret.slice(-30)), secret.slice(0, 5));
    for (const line of lines) t.doesNotThrow(() => JSON.parse(line) as unknown, 'still JSON');
  }
});

t.test('a person gets one line with the members that matter', async (t) => {
  const { log, lines } = captured();
  log.warn({ port: 1, place: 'a b' }, 'listening');
  const line = humanLine(lines[0] ?? '');
  t.match(line, /^\d\d:\d\d:\d\d WARN {2}listening port=1 place="a b"\n$/);
  t.equal(humanLine('not json\n'), 'not json\n');
  t.equal(humanLine('12\n'), '12\n');
});
