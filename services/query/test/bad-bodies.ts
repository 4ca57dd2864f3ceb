/** Builds bodies that no route may accept from a body that the route accepts. */
import { LIMITS, type ErrorCode } from '@sentinel-node/contracts';

export interface BadBody {
  readonly title: string;
  readonly body: string;
  /** Default: VALIDATION_FAILED. */
  readonly code?: ErrorCode;
  readonly headers?: Record<string, string>;
}

/** Keys of a path that are no ids: too long, not normalised, members of every object, operators of a query language. */
export const BAD_KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'x'.repeat(201),
  '',
  '../..',
  '%00',
  '\u0000',
  "' OR 1=1 --",
  '{"$gt":""}',
  '𝕆𝕣𝕘 ‮\u202e',
  '0',
];

const NOT_OBJECTS = ['{', '[]', 'null', '"text"', '1', 'true', '', '{"a":}', '\u0000'];
const POLLUTING = [
  '{"__proto__":{"role":"ADMIN"}}',
  '{"constructor":{"prototype":{"role":"ADMIN"}}}',
  '{"prototype":{"role":"ADMIN"},"toString":1}',
];

export function badBodies(good: string): BadBody[] {
  const object = JSON.parse(good) as Record<string, unknown>;
  return [
    ...NOT_OBJECTS.filter((body) => !isTakenEmpty(body, object)).map((body) => ({
      title: `body ${body}`,
      body,
    })),
    ...POLLUTING.map((body) => ({ title: `body ${body}`, body })),
    { title: 'polluting beside good', body: good.replace(/\}$/, ',"__proto__":{"role":"ADMIN"}}') },
    { title: 'an unknown member', body: JSON.stringify({ ...object, surprise: 1 }) },
    { title: 'an operator of a store', body: JSON.stringify({ ...object, $where: 'sleep(1)' }) },
    ...Object.keys(object).flatMap((name) => wrongMembers(object, name)),
    ...Object.keys(object).map((name) => ({
      title: `${name} twice`,
      body: `{${JSON.stringify(name)}:${JSON.stringify(object[name])},${good.slice(good.indexOf('{') + 1)}`,
    })),
    {
      title: 'too large',
      body: `{"x":"${'x'.repeat(LIMITS.logRecordBytes)}"}`,
      code: 'PAYLOAD_TOO_LARGE',
    },
    { title: 'XML', body: '<a/>', code: 'UNSUPPORTED_MEDIA_TYPE', headers: { 'content-type': 'text/xml' } },
    {
      title: 'a form',
      body: 'a=1',
      code: 'UNSUPPORTED_MEDIA_TYPE',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    },
  ];
}

/** Where every member is optional, an empty body is as valid as an empty object. */
function isTakenEmpty(body: string, object: Record<string, unknown>): boolean {
  const optional = ['now', 'before', 'after'].some((name) => name in object);
  return optional && (body === '' || body === 'null');
}

/** Half a character. It has no UTF-8, so no two readers would store or hash it alike. */
const LONE_SURROGATE = 'half a \ud83d';

/** Texts that may be empty, or whose emptiness causes another refusal. */
const TAKEN_EMPTY = new Set(['description', 'audience', 'agentVersion']);

/** Returns bodies with a member of each wrong kind. Objects in place of texts are how operators get into queries. */
function wrongMembers(object: Record<string, unknown>, name: string): BadBody[] {
  const wrong: unknown[] = [{ $gt: '' }, { toString: 1 }, -1.5, [[]]];
  if (typeof object[name] === 'string') wrong.push('', 'x'.repeat(1_000_000), true, null, LONE_SURROGATE);
  return wrong
    .filter(
      (value) => !(value === null && name === 'disabledNote') && !(value === '' && TAKEN_EMPTY.has(name)),
    )
    .map((value) => ({
      title: `${name} = ${JSON.stringify(value).slice(0, 20)}`,
      body: JSON.stringify({ ...object, [name]: value }),
    }));
}
