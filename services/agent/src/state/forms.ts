/**
 * Forms of what the rows of the state say. A row of another form counts as a damaged one: who goes on from it would make reports that
 * the server refuses for good, again and again, and no later change of the file would get there.
 */
import { AgentEventSchema, CountSchema, HashSchema, nullable } from '@sentinel-node/contracts';
import { Type, type Static, type TSchema } from 'typebox';
import { compiled } from '../compiled.ts';

/** The year 2112 in µs. After a sequence of the largest number there would be none for the next report. */
const LATEST_SEQUENCE = 2 ** 52;
const version = { length: CountSchema, hash: HashSchema };

/** `FileMemory`, with members of later versions. */
export const isMemory = formOf(
  Type.Object({
    last: nullable(Type.Object(version)),
    missing: Type.Boolean(),
    sequence: Type.Integer({ minimum: 0, maximum: LATEST_SEQUENCE }),
    error: nullable(Type.String()),
    repeatedAt: Type.Number(),
    identity: nullable(Type.String()),
    kind: nullable(Type.String()),
    attributes: Type.Optional(Type.Object({})),
  }),
);
/** What the agent reads of a waiting report; the server checks the rest. */
export const isReport = formOf(
  Type.Object({
    timestamp: Type.String(),
    change: Type.String(),
    versions: Type.Array(Type.Object(version)),
  }),
);
/** A list of `ArchiveMemory`. */
export const isArchives = formOf(
  Type.Array(
    Type.Object({
      ...{ name: Type.String(), ...version, signature: Type.String() },
      isUnfound: Type.Optional(Type.Literal(true)),
    }),
  ),
);
/** A notice that the server takes. */
export const isNotice = formOf(AgentEventSchema);
/** Times of answers. */
export const isAnswers = formOf(
  Type.Object({ atMs: Type.Number(), sinceMs: Type.Number(), isTold: Type.Boolean() }),
);

function formOf<const Schema extends TSchema>(schema: Schema): (value: unknown) => value is Static<Schema> {
  const validator = compiled(schema);
  return (value): value is Static<Schema> => validator().Check(value);
}
