/** What anchoring needs of a record of the chain topic; query and audit check the whole of it. */
import {
  CategorySchema,
  CountSchema,
  HashSchema,
  MillisecondsSchema,
  nullable,
  UuidSchema,
} from '@sentinel-node/contracts';
import { Type, type Static } from 'typebox';

const MinimalEntrySchema = Type.Object({
  number: CountSchema,
  acceptedAt: MillisecondsSchema,
  linkHash: HashSchema,
});

export const MinimalChainRecordSchema = Type.Object({
  fileId: nullable(UuidSchema),
  category: CategorySchema,
  entries: Type.Array(MinimalEntrySchema),
});
export type MinimalEntry = Static<typeof MinimalEntrySchema>;
export type MinimalChainRecord = Static<typeof MinimalChainRecordSchema>;
