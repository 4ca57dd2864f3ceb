/** What receivers get: signatures and bodies. Pure. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { Compile } from 'typebox/compile';
import { WEBHOOK_SHAPES, type WebhookShape } from '@sentinel-node/contracts';
import { SealBrokenError, systemRandom } from '@sentinel-node/platform';
import { NOTICE_TYPES, type Notice } from '../src/notifications/notice.ts';
import { WebhookSecrets } from '../src/webhooks/secrets.ts';
import { SHAPES } from '../src/webhooks/shapes/index.ts';
import { signatureHeaders, signatures } from '../src/webhooks/signature.ts';
import { shownUrl, urlProblem } from '../src/webhooks/target-url.ts';
import { pauseMs, retryMs, noAnswer, verdictOf } from '../src/webhooks/verdict.ts';
import { WEBHOOK_LIMITS } from '../src/webhooks/limits.ts';

const OPTIONS = { publicUrl: 'https://sentinel.example.org', routingKey: 'R0' };
const NOTICE: Notice = {
  id: '019aa5f0-7c00-7a10-8000-000000000009',
  type: 'alert.raised',
  orgId: '019aa5f0-7c00-7a10-8000-000000000001',
  at: '2026-11-21T10:00:00.000Z',
  severity: 'critical',
  orderKey: '06NRBM1A00V8G6YB4K2C9ZQT3D',
  text: 'The file /etc/passwd of web-1 has changed.',
  device: { id: 'd', name: 'web-1' },
  file: { id: 'f', path: '/etc/passwd' },
  alert: { id: '06NRBM1A00V8G6YB4K2C9ZQT3D', type: 'UNEXPECTED_CHANGE', status: 'ACTIVE' },
};
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever a body holds
const bodyOf = (shape: WebhookShape, notice: Notice = NOTICE): any => SHAPES[shape].format(notice, OPTIONS);

t.test('signatures are those of the examples of Standard Webhooks', async (t) => {
  // The example of the specification's libraries (libraries/javascript, README and tests).
  const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  t.equal(signatures([key], message), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  const other = Buffer.alloc(32, 7);
  const both = signatureHeaders([other, key], message);
  t.equal(both['webhook-id'], message.id);
  t.equal(both['webhook-timestamp'], '1614265330');
  const [first, second, ...rest] = both['webhook-signature']!.split(' ');
  t.equal(second, 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  t.same(rest, []);
  const mac = createHmac('sha256', other).update(`${message.id}.1614265330.${message.body}`).digest();
  t.ok(timingSafeEqual(Buffer.from(first!.slice('v1,'.length), 'base64'), mac));
});

t.test('each shape of each notice fits its schema', async (t) => {
  const bare = { id: NOTICE.id, orgId: NOTICE.orgId, at: NOTICE.at, orderKey: 'k', text: 't' } as const;
  for (const shape of WEBHOOK_SHAPES) {
    const check = Compile(SHAPES[shape].schema);
    for (const type of NOTICE_TYPES)
      for (const notice of [
        { ...NOTICE, type },
        { ...NOTICE, type, actor: 'ada@example.org', severity: 'info' } as const,
        { ...bare, type, severity: 'warning' } as const,
      ])
        t.strictSame([...check.Errors(bodyOf(shape, notice))], [], `${shape} of ${type}`);
    t.strictSame(bodyOf(shape), bodyOf(shape), 'the same notice gives the same body');
    t.ok(
      [...check.Errors({ ...bodyOf(shape), ...WRONG[shape] })].length > 0,
      `${shape}: the schema can refuse`,
    );
  }
});

const WRONG: Readonly<Record<WebhookShape, object>> = {
  cloudevents: { specversion: '0.3' },
  slack: { blocks: [] },
  teams: { attachments: [] },
  pagerduty: { event_action: 'shout' },
  ocsf: { class_uid: 1 },
};

t.test('CloudEvents: the envelope names notice, organisation and subject', async (t) => {
  t.equal(SHAPES.cloudevents.contentType, 'application/cloudevents+json');
  t.strictSame(bodyOf('cloudevents', { ...NOTICE, actor: 'ada@example.org' }), {
    specversion: '1.0',
    id: NOTICE.id,
    source: 'https://sentinel.example.org/api/v1/orgs/019aa5f0-7c00-7a10-8000-000000000001',
    type: 'sentinel-node.alert.raised',
    subject: NOTICE.orderKey,
    time: NOTICE.at,
    datacontenttype: 'application/json',
    orgid: '019aa5f0-7c00-7a10-8000-000000000001',
    data: {
      text: NOTICE.text,
      severity: 'critical',
      link: 'https://sentinel.example.org/alerts-history?alert=06NRBM1A00V8G6YB4K2C9ZQT3D&in=d',
      device: NOTICE.device,
      file: NOTICE.file,
      alert: NOTICE.alert,
      actor: 'ada@example.org',
    },
  });
  const { alert: _, ...aboutFile } = NOTICE;
  t.equal(bodyOf('cloudevents', aboutFile).data.link, 'https://sentinel.example.org/device/d/file/f');
  const { file: __, ...aboutDevice } = aboutFile;
  t.equal(bodyOf('cloudevents', aboutDevice).data.link, 'https://sentinel.example.org/device/d');
  const linkOf = (notice: Notice): string => bodyOf('cloudevents', notice).data.link;
  t.equal(linkOf({ ...aboutFile, type: 'file.deleted' }), 'https://sentinel.example.org/device/d');
  t.equal(
    linkOf({ ...aboutDevice, type: 'device.deleted' }),
    'https://sentinel.example.org/dashboard',
    'what was deleted has no page',
  );
});

t.test(
  'messages that people read show the signs that turn a name; those for programs have it as it is',
  async (t) => {
    const name = 'web-\u202egnp.exe';
    const turned = { ...NOTICE, device: { id: 'd', name }, file: { id: 'f', path: name } };
    for (const shape of ['slack', 'teams', 'pagerduty'] as const) {
      const body = JSON.stringify(bodyOf(shape, turned));
      t.notMatch(body, /\u202e/, shape);
      t.match(body, String.raw`web-\\u202egnp.exe`, shape);
    }
    t.match(bodyOf('cloudevents', turned).data, { device: { name }, file: { path: name } });
    matchWhole(t, bodyOf('ocsf', turned), { device: { name }, evidences: [{ file: { path: name } }] });
  },
);

t.test('OCSF: findings are opened and closed, what happens with a file is file activity', async (t) => {
  const of = (type: Notice['type'], more: Partial<Notice> = {}) =>
    bodyOf('ocsf', { ...NOTICE, type, ...more });
  matchWhole(t, of('alert.raised'), {
    class_uid: 2004,
    category_uid: 2,
    type_uid: 200401,
    status_id: 1,
    severity_id: 5,
    time: Date.UTC(2026, 10, 21, 10),
    finding_info: { uid: NOTICE.alert!.id, types: ['UNEXPECTED_CHANGE'] },
    evidences: [{ file: { name: 'passwd', path: '/etc/passwd' } }],
  });
  t.match(of('alert.handled'), { type_uid: 200403, status_id: 4 });
  const reset = { ...NOTICE.alert!, status: 'DEACTIVATED' };
  t.match(
    of('chain.reset', { alert: reset }),
    { type_uid: 200403, status_id: 4, finding_info: { uid: NOTICE.alert!.id } },
    'a reset of the chain ends its alert',
  );
  t.match(of('alert.continued'), {
    class_uid: 1001,
    category_uid: 1,
    type_uid: 100103,
    activity_name: 'Update',
    actor: { user: { name: 'unknown' } },
    file: { name: 'passwd' },
    metadata: { correlation_uid: NOTICE.orderKey, uid: NOTICE.id },
  });
  t.match(of('alert.continued', { alert: { ...NOTICE.alert!, type: 'EMPTY' } }), { type_uid: 100104 });
  t.match(of('file.deleted', { actor: 'ada' }), { type_uid: 100199, actor: { user: { name: 'ada' } } });
  t.equal(of('file.deleted', { file: { id: 'f', path: 'C:\\data\\a.txt' } }).file.name, 'a.txt');

  const { alert: _, ...aboutFile } = NOTICE;
  const { file: __, ...aboutDevice } = aboutFile;
  const finding = (about: Notice, type: Notice['type'], ends?: true) =>
    bodyOf('ocsf', { ...about, id: `${type} ${ends}`, type, ...(ends && { ends }) });
  for (const [about, began, over] of [
    [aboutDevice, 'device.lost', 'device.returned'],
    [aboutFile, 'file.lost', 'file.returned'],
    [aboutFile, 'agent.blind', 'file.returned'],
  ] as const) {
    const opened = finding(about, began);
    matchWhole(t, opened, { class_uid: 2004, type_uid: 200401, status_id: 1, device: { name: 'web-1' } });
    for (const closed of [finding(about, over), finding(about, began, true)])
      t.match(
        closed,
        { type_uid: 200403, status_id: 4, finding_info: { uid: opened.finding_info.uid } },
        began,
      );
  }
  t.equal(
    finding(aboutFile, 'file.lost', true).finding_info.src_url,
    'https://sentinel.example.org/device/d',
    'the file may be deleted',
  );
  t.equal(
    finding(aboutDevice, 'device.lost', true).finding_info.src_url,
    'https://sentinel.example.org/dashboard',
  );
  const one = finding(aboutDevice, 'key.rotated').finding_info.uid;
  t.equal(one, 'key.rotated undefined', 'what nothing ends is a finding of its own each time');
});

t.test('PagerDuty: what ends an incident has the key of what began it', async (t) => {
  const of = (type: Notice['type'], more: Partial<Notice> = {}) =>
    bodyOf('pagerduty', { ...NOTICE, type, ...more });
  t.match(of('alert.raised'), { event_action: 'trigger', routing_key: 'R0' });
  t.match(of('alert.handled'), { event_action: 'resolve', dedup_key: of('alert.raised').dedup_key });
  t.match(of('device.returned'), { event_action: 'resolve', dedup_key: of('device.lost').dedup_key });
  t.match(
    of('chain.reset'),
    { event_action: 'resolve', dedup_key: of('alert.raised').dedup_key },
    'a reset of the chain ends its alert',
  );
  for (const type of ['device.lost', 'file.lost', 'agent.blind'] as const)
    t.match(of(type, { ends: true }), { event_action: 'resolve', dedup_key: of(type).dedup_key }, type);
  t.match(of('agent.blind'), { event_action: 'trigger', dedup_key: of('file.returned').dedup_key });
  const { file: _, ...ofDevice } = NOTICE;
  const shutOut = bodyOf('pagerduty', { ...ofDevice, type: 'agent.blind' });
  t.not(shutOut.dedup_key, of('device.lost').dedup_key, 'an agent that is shut out is another incident');
  t.equal(bodyOf('pagerduty', { ...NOTICE, text: 'x'.repeat(5_000) }).payload.summary.length, 1_024);
});

t.test('names of files make no links, mentions or marks', async (t) => {
  const path = '<!channel> <https://evil.example|click> & *bold* [a](https://evil.example)';
  const notice = { ...NOTICE, text: path, file: { id: 'f', path } };
  const slack = JSON.stringify(bodyOf('slack', notice));
  t.notMatch(slack, /<!channel>|<https/);
  t.match(slack, '&lt;!channel&gt;');
  t.notMatch(slack.replaceAll(/\*(Device|File|Alert|By|Severity|Time)\*/g, ''), /(^|[^\u200b])\*bold/);
  const types = JSON.stringify(bodyOf('teams', notice)).match(/"type":"\w+"/g);
  t.notOk(types?.includes('"type":"TextBlock"'), 'a TextBlock reads Markdown');
  t.ok(bodyOf('slack', { ...NOTICE, text: 'x'.repeat(9_000) }).blocks[0].text.text.length <= 3_000);
});

t.test('which URLs are targets, and how much of them is shown', async (t) => {
  t.equal(urlProblem('https://a.example/x?y=z', false), undefined);
  t.equal(urlProblem('http://a.example/', true), undefined);
  t.match(urlProblem('http://a.example/', false), /https/);
  t.match(urlProblem('ftp://a.example/', true), /https/);
  t.match(urlProblem('https://user@a.example/', true), /user/);
  t.match(urlProblem('https://:secret@a.example/', true), /password/);
  t.match(urlProblem('https://a.example/#x', true), /fragment/);
  t.match(urlProblem('https://a.example/#', true), /fragment/);
  t.match(urlProblem('a.example', true), /no URL/);
  t.equal(shownUrl('https://a.example:8443/x?token=y', 'cloudevents'), 'https://a.example:8443/x?…');
  t.equal(shownUrl('https://a.example/x', 'ocsf'), 'https://a.example/x');
  t.equal(shownUrl('https://hooks.slack.com/services/T/B/x', 'slack'), 'https://hooks.slack.com/…');
  t.equal(shownUrl('https://x.logic.azure.com/workflows/y?sig=z', 'teams'), 'https://x.logic.azure.com/…');
});

t.test(
  'secrets are derived for each webhook and version, and targets open where they were sealed',
  async (t) => {
    const secrets = new WebhookSecrets('a secret of the tests, long enough for it', systemRandom);
    const place = { orgId: 'o', id: 'w' };
    t.match(secrets.shown(place, 1), /^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = [place, { ...place, id: 'v' }, { ...place, orgId: 'p' }].map((one) =>
      secrets.shown(one, 1),
    );
    t.equal(new Set([...shown, secrets.shown(place, 2)]).size, 4);
    // Long enough that random text does not contain it.
    const target = { url: 'https://a.example/', routingKey: 'R0UTING-KEY-0F-A-SERVICE' };
    const sealed = secrets.seal(place, target);
    t.notMatch(sealed, /example|R0UTING/);
    t.not(sealed, secrets.seal(place, target), 'another nonce');
    t.strictSame(secrets.open(place, sealed), target);
    const other = new WebhookSecrets('another secret of the tests, as long as it', systemRandom);
    const changed = `${sealed.slice(0, -4)}${sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`;
    t.throws(() => secrets.open({ ...place, id: 'v' }, sealed), SealBrokenError);
    t.throws(() => other.open(place, sealed), SealBrokenError);
    for (const broken of [changed, 'sealed1.', sealed.slice(8), ''])
      t.throws(() => secrets.open(place, broken), SealBrokenError, broken);
  },
);

t.test('answers: which are a delivery, which make the webhook wait, and for how long', async (t) => {
  const now = Date.UTC(2026, 10, 21);
  const of = (status: number, retryAfter?: string) => verdictOf({ status, retryAfter }, now);
  for (const status of [200, 202, 204, 299])
    t.strictSame(of(status), { kind: 'DELIVERED', problem: null, pauses: false, retryAfterMs: 0 });
  for (const status of [400, 401, 404, 422]) t.match(of(status), { kind: 'FAILED', pauses: false });
  for (const status of [301, 307, 408, 425, 429, 500, 503, 599])
    t.match(of(status), { kind: 'FAILED', pauses: true }, String(status));
  t.match(of(308).problem, /redirects are not followed/);
  t.match(of(410), { kind: 'GONE', pauses: false });
  t.equal(of(429, '120').retryAfterMs, 120_000);
  t.equal(of(503, 'Sat, 21 Nov 2026 00:01:00 GMT').retryAfterMs, 60_000);
  t.equal(of(429, '999999999').retryAfterMs, WEBHOOK_LIMITS.retryAfterMs);
  for (const odd of ['', 'soon', '-1', '1e3', '99999999999999']) t.equal(of(429, odd).retryAfterMs, 0, odd);
  const failed = noAnswer('away');
  t.same(
    [1, 2, 3].map((attempts) => retryMs(attempts, failed, 0)),
    [5_000, 10_000, 20_000],
  );
  t.equal(retryMs(1, failed, 0.999), 2_502, 'jitter takes up to half');
  t.equal(retryMs(40, failed, 0), WEBHOOK_LIMITS.retry.longestMs);
  t.equal(retryMs(1, of(429, '120'), 0.5), 120_000);
  t.equal(pauseMs(20, failed, 0), WEBHOOK_LIMITS.pause.longestMs);
  t.equal(pauseMs(1, of(503, '60'), 0), 60_000);
  let [tries, waited] = [1, 0];
  for (; waited < WEBHOOK_LIMITS.triedMs; tries += 1) waited += retryMs(tries, failed, 0.5);
  t.ok(tries > 15 && tries < 50, `${tries} tries in three days`);
});
