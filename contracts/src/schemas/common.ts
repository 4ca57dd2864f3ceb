import { Type } from 'typebox';
import { LIMITS } from '../limits.ts';
import { VISIBLE_PATTERN } from '../visible.ts';

/** A closed object: unknown members are an error. */
export const closed = <const P extends Parameters<typeof Type.Object>[0]>(
  properties: P,
  options: object = {},
) => Type.Object(properties, { additionalProperties: false, ...options });

export const IdSchema = Type.String({ minLength: 1, maxLength: 64, pattern: '^[0-9A-Za-z-]+$' });
/** Id of the event or alert after which a page of a list begins (`ids.ts`). */
export const CursorSchema = Type.String({
  pattern: '^[0-9A-HJKMNP-TV-Z]{26}$',
  description: 'the last id already held',
});
export const UuidSchema = Type.String({
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'UUIDv7',
});
export const HashSchema = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256, lower-case hex' });
export const TimestampSchema = Type.String({
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  description: 'ISO 8601, UTC, milliseconds',
});
/** Milliseconds since the Unix epoch. */
export const MillisecondsSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const CountSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** At least one sign of the name is seen, so that each place that shows it has something to see and to click. */
export const NameSchema = Type.String({
  minLength: 1,
  maxLength: LIMITS.nameCharacters,
  pattern: VISIBLE_PATTERN,
});
export const DescriptionSchema = Type.String({ maxLength: LIMITS.descriptionCharacters });
/** Not blank, and without the character that no file system takes. */
export const PATH_PATTERN = '^\\s*[^\\s\\x00][^\\x00]*$';
/** A path is whatever the file system has: it may be of signs that nobody sees. */
export const PathSchema = Type.String({
  minLength: 1,
  maxLength: LIMITS.pathCharacters,
  pattern: PATH_PATTERN,
});
export const NoteSchema = Type.String({
  minLength: 1,
  maxLength: LIMITS.noteCharacters,
  pattern: VISIBLE_PATTERN,
});
/** One `@`, a dot in the domain, no spaces; the mail server decides the rest. */
export const EmailSchema = Type.String({
  maxLength: LIMITS.emailCharacters,
  pattern: '^[^\\s@<>"(),:;\\\\\\[\\]]+@[^\\s@<>"(),:;\\\\\\[\\]]+\\.[^\\s@<>"(),:;\\\\\\[\\]]+$',
});
export const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
