/** Commands on maintenance windows. The callers check permissions first. */
import {
  LIMITS,
  maintenanceStream,
  type Covered,
  type MaintenanceEntity,
  type MaintenanceInput,
  type Scope,
} from '@sentinel-node/contracts';
import { ApiError, loadStream } from '@sentinel-node/platform';
import { newUuid } from '../commands/new-uuid.ts';
import { run } from '../commands/run.ts';
import type { QueryContext } from '../context.ts';
import type { Actor } from '../registry/decision.ts';
import { decideMaintenance, type MaintenanceCommand } from '../registry/maintenance.ts';
import type { Precondition } from '../registry/tags.ts';
import type { QuotaKind } from '../storage/quotas.ts';
import { type DeviceView, type FileView, VIEWS, viewsOf } from '../views/index.ts';

const QUOTA: QuotaKind = {
  kind: 'windows',
  limit: LIMITS.windowsPerOrganization,
  refusal: `At most ${LIMITS.windowsPerOrganization} maintenance windows are not over: end one first.`,
  view: VIEWS.maintenance,
  streamOf: maintenanceStream,
  present: (store, orgId, now) => store.count(VIEWS.maintenance, { orgId, overAt: { gt: now } }),
};

/** @throws ApiError VALIDATION_FAILED, LIMIT_REACHED, OVERLOADED */
export async function openWindow(
  context: QueryContext,
  orgId: string,
  by: Actor,
  input: MaintenanceInput,
): Promise<{ readonly id: string }> {
  const given = { ...input, scope: await resolveScope(context, orgId, input.scope) };
  const id = newUuid(context);
  const open = { type: 'OPEN', id, orgId, given } as const;
  await context.quotas.add(QUOTA, orgId, id, () => commandWindow(context, orgId, by, id, open));
  return { id };
}

/**
 * Changes a window as a whole. Devices and files that it names may stay after their deletion.
 * @throws ApiError NOT_FOUND, STALE, VALIDATION_FAILED, LIMIT_REACHED; CONFLICT when the window is over
 */
export async function changeWindow(
  context: QueryContext,
  orgId: string,
  by: Actor,
  id: string,
  input: MaintenanceInput,
  precondition?: Precondition<MaintenanceEntity>,
): Promise<void> {
  const found = await loadStream<MaintenanceEntity>(context.store, maintenanceStream(id));
  if (found?.entity.orgId !== orgId) throw new ApiError('NOT_FOUND');
  const named = found.entity.revisions.at(-1)!.scope;
  const given = { ...input, scope: await resolveScope(context, orgId, input.scope, named) };
  await commandWindow(context, orgId, by, id, { type: 'CHANGE', given }, precondition);
}

/** @throws ApiError NOT_FOUND also for a window of another organisation; STALE, CONFLICT */
export async function commandWindow(
  context: QueryContext,
  orgId: string,
  by: Actor,
  id: string,
  command: MaintenanceCommand,
  precondition?: Precondition<MaintenanceEntity>,
): Promise<void> {
  await run<MaintenanceEntity>(context, {
    stream: maintenanceStream(id),
    orgId,
    by,
    precondition,
    decide: (entity, stamp) => decideMaintenance(command, entity, stamp),
  });
}

/**
 * A service token that is limited to devices names devices of its own, and nothing else: what is in reach of a label or of
 * everything changes later.
 * @param within devices of the token; null for a caller without limits
 * @throws ApiError FORBIDDEN; VALIDATION_FAILED for other devices, as for those that never were
 */
export function checkScopeWithin(within: ReadonlySet<string> | null, scope: Scope): void {
  if (within === null) return;
  const { deviceIds = [], ...others } = scope;
  if (Object.keys(others).length > 0)
    throw new ApiError('FORBIDDEN', {
      detail: 'A service token that is limited to devices names them in `deviceIds`.',
    });
  const other = deviceIds.findIndex((id) => !within.has(id));
  if (other !== -1) throw noDeviceAt(other);
}

/**
 * Returns the scope with the devices of its files.
 * @param named before: these may be deleted by now
 * @throws ApiError VALIDATION_FAILED for things that the organisation does not have
 */
export async function resolveScope(
  { store }: Pick<QueryContext, 'store'>,
  orgId: string,
  { everything, deviceIds = [], fileIds = [], labels = [] }: Scope,
  named?: Pick<Covered, 'deviceIds' | 'files'>,
): Promise<Covered> {
  const isEverything = everything === true;
  if (!isEverything && deviceIds.length + fileIds.length + labels.length === 0)
    throw invalidAt('', 'names nothing');
  const [devices, files] = await Promise.all([
    viewsOf<DeviceView>(store, VIEWS.devices, deviceIds),
    viewsOf<FileView>(store, VIEWS.files, fileIds),
  ]);
  const stays = new Set([...(named?.deviceIds ?? []), ...(named?.files ?? []).map(({ id }) => id)]);
  const isThere = (view: DeviceView | FileView | undefined): boolean =>
    view?.orgId === orgId && (!view.deleted || stays.has(view.id));
  const noDevice = deviceIds.findIndex((id) => !isThere(devices.get(id)));
  if (noDevice !== -1) throw noDeviceAt(noDevice);
  const noFile = fileIds.findIndex((id) => !isThere(files.get(id)));
  if (noFile !== -1) throw invalidAt(`/fileIds/${noFile}`, 'is no file of this organization');
  return {
    everything: isEverything,
    deviceIds: [...new Set(deviceIds)],
    files: [...files.values()].map(({ id, deviceId }) => ({ id, deviceId })),
    labels: [...new Set(labels)],
  };
}

const noDeviceAt = (at: number): ApiError =>
  invalidAt(`/deviceIds/${at}`, 'is no device of this organization');

const invalidAt = (path: string, message: string): ApiError =>
  new ApiError('VALIDATION_FAILED', { errors: [{ path: `/scope${path}`, message }] });
