import { collectionOf, type OwnCollection } from '@sentinel-node/platform';

/** Whether the last report of the file `id` was refused for good; `rev` is the time of that report or of its refusal, ms. */
export interface RefusedFile {
  readonly id: string;
  readonly rev: number;
  readonly isRefused: boolean;
  /** Organisation of the file; earlier versions do not say. */
  readonly orgId?: string;
}

export const REFUSED_FILES_COLLECTION = {
  name: collectionOf<RefusedFile>('refused_files'),
  indexes: [{ fields: ['rev'] }],
} as const;

/** Collections that this service writes. */
export const INGESTION_COLLECTIONS: readonly OwnCollection[] = [
  { spec: REFUSED_FILES_COLLECTION, keeping: 'passing' },
];
