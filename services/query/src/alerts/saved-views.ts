/** A person's saved views of the list of alerts: names, and filters in the form of the console's URL. */
import type { SavedView, SavedViews } from '@sentinel-node/contracts';
import {
  ApiError,
  collectionOf,
  ConflictError,
  type DocumentStore,
  type StreamCommit,
} from '@sentinel-node/platform';
import type { Actor } from '../registry/decision.ts';
import type { Expected } from '../registry/tags.ts';
import type { Tagged } from '../views/index.ts';

export const SAVED_VIEWS_COLLECTION = {
  name: collectionOf<SavedViewsDocument>('saved_views'),
  indexes: [],
} as const;

/** `id` is the user's. These documents are the only copy: the log does not have them. */
interface SavedViewsDocument {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly views: readonly SavedView[];
}

export async function readSavedViews(store: DocumentStore, userId: string): Promise<Tagged<SavedViews>> {
  return tagged(await store.get(SAVED_VIEWS_COLLECTION.name, userId));
}

/**
 * Replaces all saved views of a person.
 * @throws ApiError STALE, CONFLICT; the refusal of a person who was deleted meanwhile; VALIDATION_FAILED when two views have the same name
 */
export async function saveViews(
  store: DocumentStore,
  { userId: id, orgId, confirm }: Actor & { readonly orgId: string },
  views: readonly SavedView[],
  expected?: Expected,
): Promise<Tagged<SavedViews>> {
  checkNames(views);
  const existing = await store.get(SAVED_VIEWS_COLLECTION.name, id);
  if (expected?.(tagged(existing).tag) === false) throw new ApiError('STALE');
  await confirm?.();
  const next: SavedViewsDocument = { id, rev: (existing?.rev ?? 0) + 1, orgId, views };
  try {
    if (existing === undefined) await store.insertUnique(SAVED_VIEWS_COLLECTION.name, next);
    else await store.update(SAVED_VIEWS_COLLECTION.name, next, existing.rev);
  } catch (error) {
    if (error instanceof ConflictError) throw new ApiError('CONFLICT');
    throw error;
  }
  return tagged(next);
}

/** Removes the saved views of users that the commit deletes. */
export async function forgetSavedViews(store: DocumentStore, { entity }: StreamCommit): Promise<void> {
  if (entity.kind !== 'ORGANIZATION' || entity.removedUsers.length === 0) return;
  await store.remove(
    SAVED_VIEWS_COLLECTION.name,
    entity.removedUsers.map(({ id }) => id),
  );
}

const tagged = (document: SavedViewsDocument | undefined): Tagged<SavedViews> => ({
  body: { views: [...(document?.views ?? [])] },
  tag: `"${document?.rev ?? 0}"`,
});

function checkNames(views: readonly SavedView[]): void {
  const names = views.map(({ name }) => name.trim().toLowerCase());
  const at = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (at < 0) return;
  throw new ApiError('VALIDATION_FAILED', {
    errors: [{ path: `/views/${at}/name`, message: 'is the name of another view' }],
  });
}
