/** The parts of a chain record that anchoring needs; query and audit check the whole record. */
import {
  CategorySchema,
  CountSchema,
  HashSchema,
  MillisecondsSchema,
  nullable,
  UuidSchema,
  type Bytes32,
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

/** An entry of a record; its link hash is hex in JSON, and bytes in a compact body. */
export interface MinimalEntry extends Omit<Static<typeof MinimalEntrySchema>, 'linkHash'> {
  readonly linkHash: Bytes32;
}

export interface MinimalChainRecord extends Omit<Static<typeof MinimalChainRecordSchema>, 'entries'> {
  readonly entries: readonly MinimalEntry[];
}
