import { Type, type Static } from 'typebox';
import { oneOf } from '../enums.ts';
import { LIMITS } from '../limits.ts';
import { closed, CountSchema, HashSchema, nullable, TimestampSchema } from './common.ts';

/** Kinds of entries at a path; a `LINK` leads to a regular file. */
export const FILE_KINDS = ['FILE', 'LINK', 'FOLDER', 'FIFO', 'SOCKET', 'DEVICE', 'OTHER'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

const UnixIdSchema = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

/**
 * Attributes of a file in a report, besides its content. Attributes that the platform lacks are left out. For a link, all
 * but kind and target are those of the file that it leads to.
 */
export const AttributesSchema = closed({
  kind: oneOf(FILE_KINDS),
  linkTarget: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LIMITS.pathCharacters,
      description: 'of a LINK, as it is written there',
    }),
  ),
  mode: Type.Optional(
    Type.String({ pattern: '^[0-7]{4}$', description: 'permissions with set-id and sticky bits, octal' }),
  ),
  owner: Type.Optional(UnixIdSchema),
  group: Type.Optional(UnixIdSchema),
  size: Type.Optional(CountSchema),
  mtime: Type.Optional(TimestampSchema),
  inode: Type.Optional(CountSchema),
  xattrs: Type.Optional(HashSchema),
});
export type Attributes = Static<typeof AttributesSchema>;

export const ATTRIBUTE_NAMES = [
  'kind',
  'linkTarget',
  'mode',
  'owner',
  'group',
  'size',
  'mtime',
  'inode',
  'xattrs',
] as const satisfies readonly (keyof Attributes)[];
export type AttributeName = (typeof ATTRIBUTE_NAMES)[number];

const ValueSchema = nullable(Type.String({ maxLength: LIMITS.pathCharacters }));

/** Values as text; null when the file had, or has, no such attribute. */
export const AttributeChangeSchema = closed({
  name: oneOf(ATTRIBUTE_NAMES),
  before: ValueSchema,
  after: ValueSchema,
});
export type AttributeChange = Static<typeof AttributeChangeSchema>;

export const AttributeChangesSchema = Type.Array(AttributeChangeSchema, {
  maxItems: ATTRIBUTE_NAMES.length,
  description:
    'attributes that differ from before the alert: their values then, and in the newest report of it',
});
