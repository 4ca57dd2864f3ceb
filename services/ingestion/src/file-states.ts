import { COLLECTIONS, type FileState } from '@sentinel-node/contracts';
import { collectionOf } from '@sentinel-node/platform';

/** id: the file. Written by query from the chain; read by heartbeats. */
export const FILE_STATES_COLLECTION = {
  name: collectionOf<FileState & { readonly id: string }>(COLLECTIONS.fileStates),
  indexes: [],
} as const;
