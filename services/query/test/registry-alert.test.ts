import { LIMITS, type AlertEntity } from '@sentinel-node/contracts';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { type AlertCommand, decideAlert } from '../src/registry/alert.ts';
import type { Stamp } from '../src/registry/decision.ts';

const of = { id: 'A1', orgId: 'o', deviceId: 'd', fileId: 'f' };
const ada = { userId: 'ada', email: 'ada@example.org' };
const bob = { userId: 'bob', email: 'bob@example.org' };
const stamp = (by: typeof ada, version = 1): Stamp => ({ at: 1_000, version, by });
const assign = (assignee: typeof ada | null, byAdmin: boolean): AlertCommand => ({
  type: 'ASSIGN',
  of,
  assignee,
  byAdmin,
});

function entityOf(decision: ReturnType<typeof decideAlert>): AlertEntity {
  if (decision.kind !== 'changed') throw new Error(`nothing changed: ${decision.kind}`);
  return decision.entity;
}

t.test('an ADMIN assigns an alert, and the event says who to whom', async (t) => {
  const decision = decideAlert(assign(bob, true), undefined, stamp(ada));
  matchWhole(t, decision, {
    kind: 'changed',
    entity: { kind: 'ALERT', ...of, assignee: bob, comments: 0 },
    events: [
      {
        type: 'ASSIGN_ALERT',
        deviceId: 'd',
        fileId: 'f',
        alertId: 'A1',
        note: '{"by":"ada@example.org","to":"bob@example.org"}',
      },
    ],
    policies: [],
  });
  const assigned = entityOf(decision);
  t.equal(decideAlert(assign(bob, true), assigned, stamp(ada, 2)).kind, 'unchanged');
  t.equal(entityOf(decideAlert(assign(null, true), assigned, stamp(ada, 2))).assignee, null);
  t.equal(decideAlert(assign(null, true), undefined, stamp(ada)).kind, 'unchanged');
});

t.test('others take what nobody has, and give back what is theirs', async (t) => {
  const own = entityOf(decideAlert(assign(bob, false), undefined, stamp(bob)));
  t.strictSame(own.assignee, bob);
  t.equal(entityOf(decideAlert(assign(null, false), own, stamp(bob, 2))).assignee, null);
  const refused = { kind: 'refused', code: 'FORBIDDEN' };
  t.match(decideAlert(assign(ada, false), undefined, stamp(bob)), refused, 'to somebody else');
  t.match(decideAlert(assign(ada, false), own, stamp(bob, 2)), refused, 'on to somebody else');
  const hers = entityOf(decideAlert(assign(ada, true), undefined, stamp(ada)));
  t.match(decideAlert(assign(bob, false), hers, stamp(bob, 2)), refused, 'away from somebody');
  t.match(decideAlert(assign(null, false), hers, stamp(bob, 2)), refused, 'to nobody');
});

t.test('others take what a deleted user had', async (t) => {
  const hers = entityOf(decideAlert(assign(ada, true), undefined, stamp(ada)));
  const take = { ...assign(bob, false), deletedAssignee: ada.userId };
  t.strictSame(entityOf(decideAlert(take, hers, stamp(bob, 2))).assignee, bob);
  const other = { ...take, deletedAssignee: 'eve' };
  t.match(decideAlert(other, hers, stamp(bob, 2)), { kind: 'refused', code: 'FORBIDDEN' });
});

t.test('a comment keeps who is to handle the alert, and comments have a limit', async (t) => {
  const assigned = entityOf(decideAlert(assign(bob, true), undefined, stamp(ada)));
  const comment: AlertCommand = { type: 'COMMENT', of, text: '<b>"why"</b>' };
  const decision = decideAlert(comment, assigned, stamp(bob, 2));
  matchWhole(t, decision, {
    entity: { assignee: bob, comments: 1, lastChange: { type: 'COMMENTED', text: '<b>"why"</b>' } },
    events: [{ type: 'COMMENT_ALERT', note: '{"by":"bob@example.org","comment":"<b>\\"why\\"</b>"}' }],
  });
  t.equal(decideAlert(comment, assigned, stamp(bob, LIMITS.alertChanges)).kind, 'changed');
  const refused = { kind: 'refused', code: 'LIMIT_REACHED' };
  t.match(decideAlert(comment, assigned, stamp(bob, LIMITS.alertChanges + 1)), refused);
});
