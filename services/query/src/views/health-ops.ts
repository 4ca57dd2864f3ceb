import type { HealthRecord } from '@sentinel-node/contracts';
import { VIEWS } from './collections.ts';
import type { DeviceActivityView, DeviceContactView } from './documents.ts';
import type { ViewOp } from './view-op.ts';

export function healthOps(record: HealthRecord): ViewOp[] {
  const { deviceId: id, orgId, receivedAt: rev, heartbeat } = record;
  const at = record.at === undefined ? {} : { at: record.at };
  const { agentVersion, instanceId, queue } = heartbeat;
  const activity: DeviceActivityView = { id, rev, orgId, ...at };
  const contact: DeviceContactView = {
    id,
    rev,
    orgId,
    ...at,
    agentVersion,
    instanceId,
    queue,
    checkedAt: checksInServerTime(record),
    ...problemsOf(record),
  };
  return [
    { collection: VIEWS.deviceContacts, mode: 'upsert', documents: [contact] },
    { collection: VIEWS.deviceActivity, mode: 'upsert', documents: [activity] },
    {
      collection: VIEWS.deviceFirstContacts,
      mode: 'upsert',
      documents: [{ id, rev: -(record.at ?? rev), orgId }],
    },
  ];
}

/**
 * Converts check times to the server's clock by their age at the heartbeat, because the agent's clock may be wrong. A time
 * ahead of the heartbeat counts as old as it is ahead: a clock that went back since the check would else make it new for
 * ever.
 */
function checksInServerTime({
  receivedAt,
  at = receivedAt,
  heartbeat,
}: HealthRecord): Record<string, number> {
  const sentAt = Date.parse(heartbeat.timestamp);
  const checks: Record<string, number> = {};
  for (const { id, checkedAt } of heartbeat.files) {
    if (checkedAt === null) continue;
    const age = Math.abs(sentAt - Date.parse(checkedAt));
    checks[id] = Math.max(0, at - age);
  }
  return checks;
}

function problemsOf({ heartbeat }: HealthRecord): Pick<DeviceContactView, 'problems'> {
  const named = heartbeat.files.flatMap(({ id, problem }) =>
    problem === undefined ? [] : [[id, problem] as const],
  );
  return named.length === 0 ? {} : { problems: Object.fromEntries(named) };
}
