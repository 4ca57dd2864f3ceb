import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';
import { LONE_SURROGATE, holdsLoneSurrogate } from './lone-surrogate.ts';
import { REPEATED, repeatedMember } from './repeated-member.ts';

/**
 * Accepts only JSON bodies in UTF-8 (RFC 8259 section 8.1), without repeated members in an object, and with every
 * string valid Unicode. Other bodies are refused, because they could be stored, hashed or matched differently from
 * what was sent. An empty body counts as none, so that a client may send the header without a body.
 */
export function takeJsonOnly(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    if (!isUtf8(bytes)) return done(refused('the body is not UTF-8', '', 'must be UTF-8'));
    const body = bytes.toString('utf8');
    void parse(request, body, (error, parsed) => {
      const problem = error === null ? problemOf(body) : error;
      if (problem === undefined) done(null, parsed);
      else done(problem);
    });
  });
}

/** @param json valid JSON */
function problemOf(json: string): ApiError | undefined {
  const repeated = repeatedMember(json);
  if (repeated !== undefined) return refused('the body gives a member twice', repeated, REPEATED);
  return holdsLoneSurrogate(json) ? refused('the body is not Unicode', '', LONE_SURROGATE) : undefined;
}

function refused(detail: string, path: string, message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', { detail, errors: [{ path, message }] });
}
