import { COLLECTIONS, type FileState } from '@sentinel-node/contracts';
import { collectionOf } from '@sentinel-node/platform';

/** id: the file's id. Query writes these states from the chain; heartbeats read them. */
export const FILE_STATES_COLLECTION = {
  name: collectionOf<FileState & { readonly id: string }>(COLLECTIONS.fileStates),
  indexes: [],
} as const;
