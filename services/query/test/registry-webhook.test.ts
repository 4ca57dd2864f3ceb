/** Decisions about webhooks: given, when, then. */
import t from 'tap';
import type { WebhookEntity } from '@sentinel-node/contracts';
import { decideWebhook, validSecrets, type WebhookCommand } from '../src/registry/webhook.ts';

const AT = Date.UTC(2026, 10, 21);
const DAY_MS = 24 * 3_600_000;
const stamp = { at: AT, version: 1, by: { userId: 'u', email: 'ada@example.org' } };
const target = { sealedTarget: 'sealed1.x', shownUrl: 'https://a.example/' };
const MAKE: WebhookCommand = {
  type: 'MAKE',
  id: 'w',
  orgId: 'o',
  fields: { name: 'On-call', shape: 'cloudevents' },
  target,
};

function changedOf(decision: ReturnType<typeof decideWebhook>): {
  entity: WebhookEntity;
  type: string | undefined;
  note: Record<string, unknown>;
} {
  if (decision.kind !== 'changed') throw new Error(decision.kind);
  const [event] = decision.events;
  return { entity: decision.entity, type: event?.type, note: JSON.parse(event?.note ?? '{}') };
}
const made = changedOf(decideWebhook(MAKE, undefined, stamp)).entity;

t.test('a webhook is made once, and its URL is in no event as a whole', async (t) => {
  const { entity, type, note } = changedOf(decideWebhook(MAKE, undefined, stamp));
  t.strictSame(entity, {
    kind: 'WEBHOOK',
    id: 'w',
    orgId: 'o',
    name: 'On-call',
    shape: 'cloudevents',
    ...target,
    enabled: true,
    disabledBecause: null,
    secretVersion: 1,
    previousSecret: null,
    creationDate: AT,
    createdBy: 'ada@example.org',
    deleted: false,
  });
  t.equal(type, 'CREATE_WEBHOOK');
  t.strictSame(note, {
    by: 'ada@example.org',
    webhook: 'On-call',
    shape: 'cloudevents',
    url: 'https://a.example/',
  });
  t.match(decideWebhook(MAKE, made, stamp), { kind: 'refused', code: 'CONFLICT' });
  t.equal(changedOf(decideWebhook(MAKE, undefined, { ...stamp, by: null })).entity.createdBy, '');
});

t.test('commands on a webhook that is not there, or is there no more', async (t) => {
  const deleted = changedOf(decideWebhook({ type: 'DELETE', rules: [] }, made, stamp));
  t.match(deleted, { type: 'DELETE_WEBHOOK', entity: { deleted: true, enabled: false } });
  t.strictSame(deleted.note, { by: 'ada@example.org', webhook: 'On-call' });
  const commands: WebhookCommand[] = [{ type: 'CHANGE', fields: { name: 'x' } }, { type: 'ROTATE' }];
  for (const command of commands)
    for (const webhook of [undefined, deleted.entity])
      t.match(decideWebhook(command, webhook, stamp), { kind: 'refused', code: 'NOT_FOUND' }, command.type);
  t.match(decideWebhook({ type: 'DELETE', rules: [] }, undefined, stamp), {
    kind: 'refused',
    code: 'NOT_FOUND',
  });
  t.strictSame(decideWebhook({ type: 'DELETE', rules: [] }, deleted.entity, stamp), { kind: 'unchanged' });
});

t.test('a change says what was before and after', async (t) => {
  const change = (fields: object, more: object = {}): ReturnType<typeof decideWebhook> =>
    decideWebhook({ type: 'CHANGE', fields, ...more }, made, stamp);
  t.strictSame(change({}), { kind: 'unchanged' });
  t.strictSame(change({ name: 'On-call', enabled: true }), { kind: 'unchanged' });
  const next = { sealedTarget: 'sealed1.y', shownUrl: 'https://b.example/' };
  const done = changedOf(change({ name: 'Night', enabled: false }, { target: next }));
  t.match(done, {
    type: 'MODIFY_WEBHOOK',
    entity: { name: 'Night', enabled: false, disabledBecause: 'PERSON', ...next },
  });
  t.strictSame(done.note['changed'], [
    'name from On-call to Night',
    'URL from https://a.example/ to https://b.example/',
    'disabled',
  ]);
  const back = decideWebhook({ type: 'CHANGE', fields: { enabled: true } }, done.entity, stamp);
  t.match(changedOf(back).entity, { enabled: true, disabledBecause: null });
  t.strictSame(changedOf(back).note['changed'], ['enabled']);
  const renamed = decideWebhook({ type: 'CHANGE', fields: { name: 'Day' } }, done.entity, stamp);
  t.match(changedOf(renamed).entity, { enabled: false, disabledBecause: 'PERSON' }, 'the reason stays');
});

const GONE = { type: 'GONE', sealedTarget: made.sealedTarget, rules: ['Night'] } as const;

t.test('a receiver that is gone disables its webhook once', async (t) => {
  const gone = changedOf(decideWebhook(GONE, made, { ...stamp, by: null }));
  t.match(gone, { type: 'DISABLE_WEBHOOK', entity: { enabled: false, disabledBecause: 'GONE' } });
  const reason = 'the receiver answered 410 Gone';
  t.strictSame(gone.note, { by: null, webhook: 'On-call', reason, rules: ['Night'] });
  t.strictSame(decideWebhook(GONE, gone.entity, stamp), { kind: 'unchanged' });
  const other = { ...GONE, sealedTarget: 'sealed1.y' };
  t.strictSame(decideWebhook(other, made, stamp), { kind: 'unchanged' }, 'the URL is another by now');
});

t.test('each secret is valid for 24 hours after a rotation, also when another follows', async (t) => {
  t.strictSame(validSecrets(made, AT), [1]);
  const once = changedOf(decideWebhook({ type: 'ROTATE' }, made, stamp));
  t.equal(once.type, 'ROTATE_WEBHOOK_SECRET');
  t.strictSame(once.note, {
    by: 'ada@example.org',
    webhook: 'On-call',
    previousValidUntil: '2026-11-22T00:00:00.000Z',
  });
  t.strictSame(validSecrets(once.entity, AT + DAY_MS - 1), [2, 1]);
  t.strictSame(validSecrets(once.entity, AT + DAY_MS), [2]);
  const twice = changedOf(decideWebhook({ type: 'ROTATE' }, once.entity, { ...stamp, at: AT + 1 }));
  t.strictSame(validSecrets(twice.entity, AT + 1), [3, 2, 1], 'as was promised');
  t.strictSame(validSecrets(twice.entity, AT + DAY_MS), [3, 2]);
  t.strictSame(validSecrets(twice.entity, AT + DAY_MS + 1), [3]);
  const later = changedOf(decideWebhook({ type: 'ROTATE' }, twice.entity, { ...stamp, at: AT + DAY_MS + 1 }));
  t.equal(later.entity.earlierSecrets, undefined, 'what has ended is not kept');
});

t.test('five replaced secrets are valid at once; a sixth waits for the end of one', async (t) => {
  const rotate = (webhook: WebhookEntity, at: number): ReturnType<typeof decideWebhook> =>
    decideWebhook({ type: 'ROTATE' }, webhook, { ...stamp, at });
  let webhook = made;
  for (let n = 0; n < 5; n++) webhook = changedOf(rotate(webhook, AT + n)).entity;
  t.strictSame(validSecrets(webhook, AT + 4), [6, 5, 4, 3, 2, 1]);
  t.match(rotate(webhook, AT + DAY_MS - 1), {
    kind: 'refused',
    code: 'LIMIT_REACHED',
    detail: /2026-11-22T00:00/,
  });
  t.strictSame(validSecrets(changedOf(rotate(webhook, AT + DAY_MS)).entity, AT + DAY_MS), [7, 6, 5, 4, 3, 2]);
});

t.test('that dead letters are sent again is told with their number, and changes nothing', async (t) => {
  const command = { type: 'RESEND', deadLetters: 7 } as const;
  const { entity, type, note } = changedOf(decideWebhook(command, made, stamp));
  t.strictSame(entity, made);
  t.equal(type, 'RESEND_WEBHOOK_NOTICES');
  t.strictSame(note, { by: 'ada@example.org', webhook: 'On-call', deadLetters: 7 });
  t.match(decideWebhook(command, { ...made, deleted: true }, stamp), { kind: 'refused', code: 'NOT_FOUND' });
});

t.test('an answer of 410 that comes after the deletion changes nothing', async (t) => {
  const { entity: deleted } = changedOf(decideWebhook({ type: 'DELETE', rules: [] }, made, stamp));
  t.strictSame(decideWebhook(GONE, deleted, stamp), { kind: 'unchanged' });
});
