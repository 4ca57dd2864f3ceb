import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { NO_MEMORY } from '../src/domain/memory.ts';
import type { Observation } from '../src/domain/observation.ts';
import { nextSequence } from '../src/domain/sequence.ts';
import { NOTHING, REPEAT_MS, step } from '../src/domain/step.ts';
import { context, known, NOW, version } from './step-cases.ts';

/** Returns the observation of a look when the remembered version has `length` bytes. */
const file = (text: string, length: number | null): Observation => ({
  kind: 'file',
  what: 'file',
  now: version(text),
  prefix: length === null ? null : version(text.slice(0, length)),
  reread: true,
});

t.test('a file never seen gives FIRST', async (t) => {
  const next = step(NO_MEMORY, file('abc', null), context({ first: true }));
  matchWhole(t, next?.report, {
    change: 'FIRST',
    versions: [version('abc')],
    configVersion: 3,
    sequence: NOW * 1000,
  });
  t.same(next?.memory.last, version('abc'));
});

t.test('a followed file that grew gives APPENDED with its prefix hashed again', async (t) => {
  const next = step(known('abc'), file('abcd', 3), context());
  matchWhole(t, next?.report, {
    change: 'APPENDED',
    versions: [version('abc'), version('abcd')],
    reread: true,
  });
});

t.test('a followed file whose old bytes differ gives REPLACED with what is there now', async (t) => {
  matchWhole(t, step(known('abc'), file('aXcd', 3), context())?.report, {
    change: 'REPLACED',
    versions: [version('aXc'), version('aXcd')],
  });
  matchWhole(t, step(known('abc'), file('aXc', 3), context())?.report, {
    change: 'REPLACED',
    versions: [version('aXc')],
  });
});

t.test('a followed file with fewer bytes gives TRUNCATED with the bytes that exist', async (t) => {
  matchWhole(t, step(known('abc'), file('ab', 3), context())?.report, {
    change: 'TRUNCATED',
    versions: [version('ab')],
  });
  matchList(t, step(known('abc'), file('', 3), context())?.report.versions, [version('')]);
});

t.test('a probed file says what is remembered, then what is there', async (t) => {
  const probe = context({ frequency: 'PROBE' });
  matchWhole(t, step(known('abc'), file('xyz', 3), probe)?.report, {
    change: 'REPLACED',
    versions: [version('abc'), version('xyz')],
  });
  matchWhole(t, step(known('abc'), file('x', 3), probe)?.report, {
    change: 'TRUNCATED',
    versions: [version('abc'), version('x')],
  });
});

t.test('an unchanged file is reported at the start and hourly, else not', async (t) => {
  t.equal(step(known('abc'), file('abc', 3), context()), undefined);
  t.match(step(known('abc'), file('abc', 3), context({ first: true }))?.report.change, 'UNCHANGED');
  const hourLater = context({ nowMs: NOW + REPEAT_MS });
  t.match(step(known('abc'), file('abc', 3), hourLater)?.report.change, 'UNCHANGED');
});

t.test('a missing file is told once, and its return is told', async (t) => {
  const gone = step(known('abc'), { kind: 'missing', what: NOTHING }, context());
  matchWhole(t, gone?.report, { change: 'MISSING', versions: [] });
  t.equal(step(gone!.memory, { kind: 'missing', what: NOTHING }, context()), undefined);
  t.match(step(gone!.memory, file('abc', 3), context())?.report.change, 'UNCHANGED');
});

t.test('an error is told when it changes and hourly', async (t) => {
  const denied: Observation = { kind: 'error', code: 'EACCES', message: 'permission denied' };
  const next = step(known('abc'), denied, context());
  matchWhole(t, next?.report, { change: 'ERROR', versions: [], error: { code: 'EACCES' } });
  t.equal(step(next!.memory, denied, context()), undefined);
  t.match(step(next!.memory, denied, context({ nowMs: NOW + REPEAT_MS }))?.report.change, 'ERROR');
  t.same(next!.memory.last, version('abc'), 'what was reported stays known');
});

t.test('a rotation tells the archives and the new file', async (t) => {
  const archive = { name: 'a.log.1', ...version('abcdef') };
  const seen: Observation = {
    kind: 'rolled',
    what: 'file',
    now: version('n'),
    prefix: version('abc'),
    archives: [archive],
    archivesNow: [],
  };
  const next = step(known('abc'), seen, context());
  matchWhole(t, next?.report, {
    change: 'ROLLED',
    versions: [version('abc'), version('n')],
    archives: [archive],
  });
  const tampered = { ...archive, hash: version('other').hash };
  const changed: Observation = { kind: 'archive-changed', archives: [tampered], archivesNow: [] };
  const later = step(next!.memory, changed, context());
  matchWhole(t, later?.report, {
    change: 'ARCHIVE_CHANGED',
    versions: [version('n')],
    archives: [{ hash: tampered.hash }],
  });
});

t.test('another kind of file is told, and the first one is not', async (t) => {
  const link = { ...file('abc', 3), what: 'link to other' } as Observation;
  t.equal(step(NO_MEMORY, link, context())?.kindChanged, undefined);
  const next = step(known('abc', { kind: 'file' }), link, context());
  t.match(next, {
    report: { change: 'UNCHANGED' },
    kindChanged: 'there was a file, there is a link to other now',
  });
  t.equal(step(next!.memory, link, context()), undefined, 'told once');
  const rolled = { archives: [], archivesNow: [], now: version('n'), prefix: null } as const;
  t.match(
    step(known('abc', { kind: 'file' }), { ...rolled, kind: 'rolled', what: 'link to other' }, context()),
    { memory: { kind: 'link to other' }, kindChanged: 'there was a file, there is a link to other now' },
    'also in the place of a rolled file',
  );
  const fifo = step(known('abc', { kind: 'file' }), { kind: 'missing', what: 'FIFO' }, context());
  t.match(fifo, { report: { change: 'MISSING' }, kindChanged: 'there was a file, there is a FIFO now' });
});

t.test('a clock that was set back does not silence what is repeated', async (t) => {
  const early = context({ nowMs: NOW - 10 * REPEAT_MS });
  t.match(step(known('abc'), file('abc', 3), early)?.report.change, 'UNCHANGED');
});

t.test('another path or frequency starts with FIRST and goes on with the sequence', async (t) => {
  const moved = step(known('abc'), file('zzz', 3), context({ identity: 'FOLLOW:/var/log/b.log' }));
  matchWhole(t, moved?.report, { change: 'FIRST', versions: [version('zzz')] });
  t.ok(moved!.report.sequence > 10);
});

t.test('sequences rise over the last one, the clock and the server', async (t) => {
  t.equal(nextSequence(5, 0, 0), 6);
  t.equal(nextSequence(5, 1, 0), 1000);
  t.equal(nextSequence(5, 0, 2000), 2001);
});

t.test('watched attributes are reported with the content, and by themselves when they changed', async (t) => {
  const mode = (value: string) => ({ kind: 'FILE', mode: value }) as const;
  const seen = (text: string, value: string): Observation => ({
    ...(file(text, text.length) as Extract<Observation, { kind: 'file' }>),
    attributes: mode(value),
  });
  const changed = step(known('abc', { attributes: mode('0644') }), seen('abc', '0600'), context());
  matchWhole(t, changed?.report, {
    change: 'UNCHANGED',
    versions: [version('abc')],
    attributes: mode('0600'),
  });
  t.strictSame(changed?.memory.attributes, mode('0600'));
  t.equal(step(changed!.memory, seen('abc', '0600'), context()), undefined, 'once');
  const first = step(known('abc'), seen('abc', '0644'), context());
  matchWhole(t, first?.report, { change: 'UNCHANGED', attributes: mode('0644') });
  const unwatched = step(known('abc', { attributes: mode('0644') }), file('abcd', 3), context());
  t.notOk('attributes' in unwatched!.report, 'of a look that did not read them nothing is said');
  t.strictSame(unwatched?.memory.attributes, mode('0644'), 'and what was reported stays known');
  t.equal(step(known('abc', { attributes: mode('0644') }), file('abc', 3), context()), undefined);
  const other = step(
    known('abc', { attributes: mode('0644') }),
    seen('abc', '0644'),
    context({ identity: 'FOLLOW:/b' }),
  );
  matchWhole(t, other?.report, { change: 'FIRST', attributes: mode('0644') });
  const rolled: Observation = {
    ...{ kind: 'rolled', what: 'file', now: version('x'), prefix: null, archives: [], archivesNow: [] },
    attributes: mode('0600'),
  };
  t.strictSame(step(known('abc'), rolled, context())?.memory.attributes, mode('0600'));
  const failed = step(known('abc'), { kind: 'error', code: 'EACCES', message: 'no' }, context());
  t.notOk('attributes' in failed!.report);
});
