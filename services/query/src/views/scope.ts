import { ApiError, type DocumentStore } from '@sentinel-node/platform';
import { VIEWS } from './collections.ts';

/** The subject of a list: an organisation, one of its devices, or one of its files. */
export interface Scope {
  readonly orgId: string;
  readonly deviceId?: string;
  readonly fileId?: string;
  /** Of the organisation only what is of these devices; absent: all. */
  readonly within?: ReadonlySet<string>;
}

/** Checks that the scope exists. Deleted devices and files pass: they keep their history. @throws ApiError NOT_FOUND */
export async function checkScope(store: DocumentStore, { orgId, deviceId, fileId }: Scope): Promise<void> {
  if (fileId !== undefined) {
    const file = await store.get(VIEWS.files, fileId);
    if (file?.orgId !== orgId || file.deviceId !== deviceId) throw new ApiError('NOT_FOUND');
  } else if (deviceId !== undefined) {
    const device = await store.get(VIEWS.devices, deviceId);
    if (device?.orgId !== orgId) throw new ApiError('NOT_FOUND');
  }
}
