/** Limits of what an organisation has, while several people add to it. */
import t from 'tap';
import { LIMITS, webhookStream } from '@sentinel-node/contracts';
import { TEST_COLLECTION } from '../src/self-test/routes.ts';
import { Quotas, type QuotaKind } from '../src/storage/quotas.ts';
import { VIEWS } from '../src/views/index.ts';
import { uuid } from './chain-records.ts';
import { secondProcess } from './second-process.ts';
import { createWorld, FILE, NO_LIMITS, personOf, type Answer, type Person } from './world.ts';

const inHours = (hours: number, now: number): string => new Date(now + hours * 3_600_000).toISOString();

interface Kind {
  readonly view: string;
  readonly limit: number;
  /** What is there without having been made. */
  readonly given?: number;
  readonly path: string;
  readonly body: (now: number) => object;
}

const RULE = {
  name: 'Nights',
  enabled: true,
  when: {
    ...{ types: ['alert.raised'], alertTypes: [], deviceIds: [], fileIds: [], categories: [] },
    severity: 'info',
  },
  to: { administrators: true, userIds: [], addresses: [], webhookIds: [] },
  ...{ how: 'AT_ONCE', dailyHour: 8, zone: 'UTC', quietHours: null, urgent: false, required: false },
};
const TEMPLATE = { ...{ path: '/srv/web', healthInterval: 60, category: 'STANDARD' }, files: [FILE] };

const KINDS: Readonly<Record<string, Kind>> = {
  'service tokens': {
    view: VIEWS.serviceTokens,
    limit: LIMITS.serviceTokensPerOrganization,
    path: '/service-tokens',
    body: () => ({ name: 'CI', role: 'REGULAR', readOnly: true }),
  },
  'enrolment tokens': {
    view: VIEWS.enrolments,
    limit: LIMITS.enrolmentsPerOrganization,
    path: '/enrolments',
    body: () => ({ name: 'Web', template: TEMPLATE }),
  },
  'maintenance windows': {
    view: VIEWS.maintenance,
    limit: LIMITS.windowsPerOrganization,
    path: '/maintenance',
    body: (now) => ({ reason: 'Update', scope: { everything: true }, end: inHours(2, now) }),
  },
  'lists of expected changes': {
    view: VIEWS.expected,
    limit: LIMITS.expectedPerOrganization,
    path: '/expected',
    body: (now) => ({
      ...{ reason: 'Release', scope: { everything: true }, end: inHours(2, now) },
      entries: [{ path: '/etc/passwd', sha256: 'a'.repeat(64) }],
    }),
  },
  webhooks: {
    view: VIEWS.webhooks,
    limit: LIMITS.webhooksPerOrganization,
    path: '/webhooks',
    body: () => ({ name: 'On-call', shape: 'cloudevents', url: 'https://hooks.example/a' }),
  },
  'rules of notifications': {
    view: VIEWS.notificationRules,
    limit: LIMITS.notificationRules,
    given: 1,
    path: '/notifications/rules',
    body: () => RULE,
  },
};

for (const [name, { view, limit, given = 0, path, body }] of Object.entries(KINDS))
  t.test(`two people at the limit of ${name}, at two processes: one gets in`, async (t) => {
    const world = await createWorld(t, NO_LIMITS);
    const ann = await world.organization('Acme', 'ann@example.org');
    const elsewhere = await secondProcess(t, world, NO_LIMITS);
    const wallet = await elsewhere('POST', '/dev-wallet/login', { email: 'ann@example.org', name: 'Ann' });
    const token = wallet.body.access_token;
    const again = personOf(elsewhere, await elsewhere('GET', `/login?access_token=${token}`));
    const make = (person: Pick<Person, 'call'>): Promise<Answer> =>
      person.call('POST', `${path}/${ann.orgId}`, body(world.clock.now()));
    const first = await make(ann);
    t.equal(first.status, 201, JSON.stringify(first.body));
    const [made] = await world.store.find(view, { where: { id: first.body.id }, limit: 1 });
    const others = Array.from({ length: limit - 2 - given }, (_, n) => ({
      ...made!,
      id: `${made!.id}-${n}`,
    }));
    await world.store.insertMissing(view, others);
    const answers = await Promise.all([make(ann), make(again), make(ann), make(again)]);
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    for (const answer of answers)
      if (answer.status === 409) t.equal(answer.body.code, 'LIMIT_REACHED', JSON.stringify(answer.body));
  });

t.test('a call that is refused uses up no place', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const ann = await world.organization('Acme', 'ann@example.org');
  const open = (hours: number): Promise<Answer> =>
    ann.call('POST', `/maintenance/${ann.orgId}`, {
      ...{ reason: 'Update', scope: { everything: true }, end: inHours(hours, world.clock.now()) },
    });
  for (let n = 0; n < LIMITS.windowsPerOrganization; n++) await open(-1);
  t.equal((await open(-1)).status, 422);
  t.equal((await open(1)).status, 201);
});

t.test('what reads come to show while the others are counted is counted once', async (t) => {
  const { store, clock } = await createWorld(t, NO_LIMITS);
  const { name: view } = TEST_COLLECTION;
  const appearing: string[] = [];
  const kind: QuotaKind = {
    ...{ kind: 'tests', limit: 2, refusal: 'Two at most.', view, streamOf: webhookStream },
    present: async () => {
      for (const id of appearing) await store.insertMissing(view, [{ id }]);
      return store.count(view);
    },
  };
  const quotas = new Quotas({ store, clock });
  await quotas.take(kind, 'o', uuid(1));
  appearing.push(uuid(1));
  await quotas.take(kind, 'o', uuid(2));
  await t.rejects(quotas.take(kind, 'o', uuid(3)), { code: 'LIMIT_REACHED' });
});
