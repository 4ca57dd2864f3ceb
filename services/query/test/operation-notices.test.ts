/** Facts of the operator's services come to every organisation whose rules name them. */
import t, { type Test } from 'tap';
import { TOPICS, type NotificationRule, type OperationRecord } from '@sentinel-node/contracts';
import type { KeptMail } from '../src/mail/development-mailer.ts';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { operationNotice } from '../src/notifications/operation-notices.ts';
import { readNoticeRecord } from '../src/views/index.ts';
import { createWorld, eventually, NO_LIMITS, type Person, type World } from './world.ts';

const record = (more: Partial<OperationRecord>): OperationRecord => ({
  ...{ v: 1, kind: 'anchoring', rev: 1, at: 1_000, state: 'wrong', why: 'no reason', batch: null },
  ...more,
});

async function append(
  { eventLog, clock }: World,
  ...records: readonly Partial<OperationRecord>[]
): Promise<void> {
  await eventLog.append(
    TOPICS.operations,
    records.map((more) => {
      const { kind, rev, ...rest } = record({ at: clock.now(), ...more });
      return { key: kind, id: `${kind}/${rev}`, body: Buffer.from(JSON.stringify({ kind, rev, ...rest })) };
    }),
  );
  await eventually(async () => {
    const done = await eventLog.committed(TOPICS.operations, 'query-notifier');
    return done.get(0) === (await eventLog.bounds(TOPICS.operations))[0]!.end || undefined;
  });
}

async function listens(admin: Person & { readonly orgId: string }): Promise<void> {
  const path = `/notifications/rules/${admin.orgId}`;
  const [rule] = (await admin.call('GET', path)).body.rules as [NotificationRule];
  const { id, isDefault: _, changed: __, changedBy: ___, ...fields } = rule;
  const types = ['anchoring.stopped', 'anchoring.resumed', 'funds.low', 'funds.restored', 'evidence.failed'];
  const { status } = await admin.call('PUT', `${path}/${id}`, { ...fields, when: { ...fields.when, types } });
  if (status !== 200) throw new Error(String(status));
}

async function mailsOf(t: Test, world: World, count: number): Promise<KeptMail[]> {
  world.clock.advance(NOTIFICATION_LIMITS.settleMs);
  return eventually(async () => {
    const kept = (await world.call('GET', '/dev-mail/messages')).body as KeptMail[];
    const found = kept.filter(({ subject }) => /^\[(Acme|Other|Third)\]/.test(subject)).reverse();
    return found.length >= count ? found : undefined;
  });
}

t.test('organisations whose rules name it are told, each once', async (t) => {
  const world = await createWorld(t, { ...NO_LIMITS, SENTINEL_NOTICES: 'on' });
  const acme = await world.organization('Acme', 'ada@example.org');
  const other = await world.organization('Other', 'eve@example.org');
  const third = await world.organization('Third', 'tom@example.org');
  await listens(acme);
  await listens(other);
  await append(world, { why: 'the ledger refused the newest anchor', batch: 7 });
  const stopped = await mailsOf(t, world, 2);
  t.same(
    stopped.map(({ to }) => to).sort(),
    ['ada@example.org', 'eve@example.org'],
    'not by the default rule',
  );
  const text =
    'Anchoring stopped: the ledger refused the newest anchor. Reports are still taken, judged and kept.';
  t.ok(stopped.every((mail) => mail.text.includes(text)));
  await append(world, { state: 'right', rev: 2, why: '' });
  const all = await mailsOf(t, world, 4);
  t.ok(all.slice(2).every((mail) => mail.text.includes('Anchoring goes on.')));

  const found = [];
  for await (const { records } of world.eventLog.read(TOPICS.notices, 0, 0))
    for (const one of records) found.push(readNoticeRecord(one));
  const ofType = found.filter(({ type }) => type === 'sentinel-node.anchoring.stopped');
  t.same(ofType.map(({ orgid }) => orgid).sort(), [acme.orgId, other.orgId, third.orgId].sort());
  t.equal(new Set(ofType.map(({ id }) => id)).size, 3, 'an id each');
});

t.test('every fact has its type, severity and words, and says no amounts', async (t) => {
  const told = (more: Partial<OperationRecord>) => operationNotice(record(more), 'o');
  t.match(told({ kind: 'funds' }), { type: 'funds.low', severity: 'warning', orderKey: 'o', orgId: 'o' });
  t.match(told({ kind: 'funds', state: 'right' }), { type: 'funds.restored', severity: 'info' });
  t.match(told({ kind: 'evidence', batch: 5, why: 'it differs' }), {
    ...{ type: 'evidence.failed', severity: 'critical', text: 'Evidence failed: it differs (batch 5).' },
  });
  t.equal(told({ kind: 'evidence', state: 'right' }), undefined, 'nobody can say so');
  t.match(told({}), { type: 'anchoring.stopped', severity: 'critical' });
  t.match(told({ state: 'right' }), { type: 'anchoring.resumed', severity: 'info' });
  t.equal(told({})!.id, told({})!.id);
  t.not(told({})!.id, told({ rev: 2 })!.id);
  t.not(told({})!.id, operationNotice(record({}), 'p')!.id);
});
