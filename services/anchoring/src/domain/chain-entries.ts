/** The parts of a chain record that anchoring needs; query and audit check the whole record. */
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
