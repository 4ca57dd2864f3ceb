import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import type { Report } from '@sentinel-node/contracts';
import { matchArchives, type PresentArchive } from '../src/domain/archive-match.ts';
import { insertByAge, onlyOldestGone, successorsOf } from '../src/domain/archive-order.ts';
import { NO_MEMORY, type ArchiveMemory, type FileMemory } from '../src/domain/memory.ts';
import { merge } from '../src/domain/merge.ts';
import type { Observation } from '../src/domain/observation.ts';
import { outcomeOf } from '../src/domain/outcome.ts';
import { NOTHING, REPEAT_MS, step } from '../src/domain/step.ts';
import { context, IDENTITY, known as remembered, NOW, version } from './step-cases.ts';

t.test('archives', async (t) => {
  const known = (name: string, text: string, signature: string): ArchiveMemory => ({
    name,
    ...version(text),
    signature,
  });
  const present = (name: string, text: string | null, signature: string): PresentArchive => ({
    name,
    signature,
    inode: signature.split(':').slice(0, 2).join(':'),
    content: text === null ? null : version(text),
  });

  const matched = (known: readonly ArchiveMemory[], present: readonly PresentArchive[]) => {
    const { gone, now, strange } = matchArchives(known, present);
    return { same: [...now.values()], gone, strange };
  };

  t.test('one is found by what it holds, under its new name', async (t) => {
    const old = known('log.1', 'abc', '1:5:s');
    const now = present('log.2.gz', 'abc', '1:9:t');
    t.strictSame(matched([old], [now]), {
      same: [{ ...old, name: 'log.2.gz', signature: '1:9:t' }],
      gone: [],
      strange: [],
    });
  });

  t.test('neither name, inode nor signature make up for other contents', async (t) => {
    const old = known('log.1', 'abc', '1:5:s');
    const others = [
      present('log.1', 'abX', '1:5:s'),
      present('log.1', null, '1:5:s'),
      { ...present('log.1', 'abc', '1:5:s'), content: { ...version('abc'), length: 4 } },
    ];
    for (const other of others)
      t.strictSame(matched([old], [other]), { same: [], gone: [old], strange: [other] });
  });

  t.test('of several with the same contents, the nearest is taken and the others are strange', async (t) => {
    const old = known('log.1', 'abc', '1:12:s');
    const signature = present('a', 'abc', '1:12:s');
    const inode = present('b', 'abc', '1:12:t');
    const name = present('log.1', 'abc', '1:7:s');
    const any = present('c', 'abc', '1:1:s');
    for (const [nearest, further] of [
      [signature, inode],
      [inode, name],
      [name, any],
      [signature, any],
    ] as const)
      t.strictSame(matched([old], [further, nearest]), {
        same: [{ ...old, name: nearest.name, signature: nearest.signature }],
        gone: [],
        strange: [further],
      });
  });

  t.test('of two with the same contents, none hides the loss of the other', async (t) => {
    const first = known('log.1', 'abc', '1:5:s');
    const second = known('log.2', 'abc', '1:6:s');
    const left = present('log.2', 'abc', '1:6:s');
    t.strictSame(matched([first, second], [left]), { same: [second], gone: [first], strange: [] });
  });

  t.test('retention takes the oldest and leaves one', async (t) => {
    const [a, b, c] = ['a', 'b', 'c'].map((text) => known(text, text, text)) as [
      ArchiveMemory,
      ArchiveMemory,
      ArchiveMemory,
    ];
    const elsewhere = new Set<ArchiveMemory>();
    for (const gone of [[], [a], [a, b]]) t.ok(onlyOldestGone([a, b, c], { elsewhere, gone }));
    for (const gone of [[b], [c], [a, c], [a, b, c]]) t.notOk(onlyOldestGone([a, b, c], { elsewhere, gone }));
  });

  t.test(
    'of two with the same contents, the one that is another file says nothing of the order',
    async (t) => {
      const oldest = known('log.3', '', '1:3:0:30:c');
      const middle = known('log.2', 'abc', '1:2:3:20:c');
      const newest = known('log.1', '', '1:1:0:10:c');
      // Two rotations removed the oldest and the middle archive; the new archive has the oldest's inode.
      const left = present('log.3', '', '1:1:0:10:d');
      const came = present('log.1', '', '1:3:0:50:e');
      const match = matchArchives([oldest, middle, newest], [left, came]);
      t.strictSame(match.gone, [middle]);
      t.ok(onlyOldestGone([oldest, middle, newest], match));
      const [kept, moved] = [match.now.get(newest)!, match.now.get(oldest)!];
      t.match(kept, { name: 'log.3' });
      t.match(moved, { name: 'log.1' });
      t.strictSame(insertByAge([kept], [moved], [left.signature, came.signature]), [kept, moved]);
    },
  );

  t.test('names tell what took a place, unless all that are left have others', async (t) => {
    const [old, middle, newest] = [
      known('log.3', 'old', '1:3:3:30:c'),
      known('log.2', 'abc', '1:2:3:20:c'),
      known('log.1', 'def', '1:1:3:10:c'),
    ];
    const all = [old, middle, newest];
    const successor = (...now: readonly PresentArchive[]) =>
      successorsOf(matchArchives(all, now), now).get(old)?.name;
    const stayed = present('log.1', 'def', newest.signature);
    const moved = present('log.3', 'def', '1:1:3:10:d');
    const renamed = present('log.9', 'abc', '1:2:3:20:d');
    const edited = present('log.3', 'OLD', '1:9:3:40:d');
    t.equal(successor(stayed, present('log.2', 'abc', middle.signature), edited), 'log.3');
    t.equal(successor(renamed, stayed, edited), 'log.3', 'renaming one hides nothing');
    const came = present('log.2', 'new', '1:3:3:50:d');
    t.equal(successor(moved, came), undefined, 'its inode is another file’s by now');
    t.equal(successor(present('log.4', 'OLD', '1:8:3:5:d'), moved, came), 'log.4', 'it is the oldest');
  });

  t.test('an archive that came is put where it is listed, and no other is moved', async (t) => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => known(text, text, text)) as [
      ArchiveMemory,
      ArchiveMemory,
      ArchiveMemory,
      ArchiveMemory,
    ];
    t.strictSame(insertByAge([b, a], [d, c], ['a', 'c', 'b', 'd']), [c, b, a, d]);
    t.strictSame(insertByAge([a, b], [], ['b', 'a']), [a, b]);
    t.strictSame(insertByAge([a, b], [c], ['c', 'b']), [a, c, b], 'one that is gone keeps its place');
  });
});

t.test('merging two reports', async (t) => {
  const made = (texts: string[], changes: Partial<Report> = {}) => ({
    report: {
      sequence: texts.length,
      timestamp: texts.join(),
      change: 'APPENDED',
      versions: texts.map(version),
      configVersion: 3,
      instanceId: 'i',
      ...changes,
    } as Report,
    memory: { ...NO_MEMORY, sequence: texts.length },
  });

  t.test('the later one goes on with the versions of the earlier', async (t) => {
    for (const change of ['APPENDED', 'REPLACED'] as const) {
      const later = made(['b', 'c'], { change });
      t.strictSame(merge(made(['a', 'b'], { change }), later, 3, false), {
        entry: {
          report: { ...later.report, versions: [version('a'), version('b'), version('c')] },
          memory: later.memory,
        },
        dropped: 0,
      });
    }
  });

  t.test('they stay apart when they differ in kind, configuration, agent or content', async (t) => {
    const earlier = made(['a', 'b']);
    const apart = [
      made(['b', 'c'], { change: 'REPLACED' }),
      made(['b', 'c'], { configVersion: 4 }),
      made(['b', 'c'], { instanceId: 'j' }),
      made(['x', 'c']),
      made(['b', 'c'], { versions: [{ ...version('b'), length: 9 }, version('c')] }),
      made(['b']),
      made([]),
    ];
    for (const later of apart) t.equal(merge(earlier, later, 9, true), undefined);
    t.equal(merge(made([]), made(['b', 'c']), 9, true), undefined);
    const truncated = { change: 'TRUNCATED' } as const;
    t.equal(merge(made(['a', 'b'], truncated), made(['b', 'c'], truncated), 9, true), undefined);
  });

  t.test('they stay apart when a watched attribute changed between them', async (t) => {
    const mode = (value: string, more: object = {}) => ({
      attributes: { kind: 'FILE', mode: value, ...more } as const,
    });
    const merged = (first: Partial<Report>, second: Partial<Report>) =>
      merge(made(['a', 'b'], first), made(['b', 'c'], second), 9, true)?.entry.report;
    t.equal(merged(mode('0644'), mode('0600')), undefined);
    t.equal(merged({}, mode('0644')), undefined, 'of the earlier one nothing is known');
    t.equal(merged(mode('0644'), {}), undefined);
    t.strictSame(
      merged(mode('0644', { size: 2 }), mode('0644', { size: 3 }))?.attributes,
      { kind: 'FILE', mode: '0644', size: 3 },
      'the size is not watched: it tells what the content does',
    );
    t.equal(merged({}, {})?.attributes, undefined);
  });

  t.test('without room the version before the last gives way, when it may', async (t) => {
    const earlier = made(['a', 'b', 'c']);
    const later = made(['c', 'd', 'e']);
    t.equal(merge(earlier, later, 4, false), undefined);
    const merged = merge(earlier, later, 4, true);
    t.equal(merged?.dropped, 1);
    t.same(merged?.entry.report.versions, ['a', 'b', 'd', 'e'].map(version));
    for (const mayDrop of [true, false]) {
      const whole = merge(earlier, later, 5, mayDrop);
      t.equal(whole?.dropped, 0);
      t.same(whole?.entry.report.versions, ['a', 'b', 'c', 'd', 'e'].map(version));
    }
  });

  t.test('it was read again when both were', async (t) => {
    const reread = (first?: boolean, second?: boolean) => {
      const of = (value?: boolean) => (value === undefined ? {} : { reread: value });
      const report = merge(made(['a', 'b'], of(first)), made(['b', 'c'], of(second)), 9, false)?.entry.report;
      return report !== undefined && 'reread' in report ? report.reread : 'absent';
    };
    t.equal(reread(true, true), true);
    t.equal(reread(false, true), false);
    t.equal(reread(undefined, true), false);
    t.equal(reread(true, false), false);
    t.equal(reread(true, undefined), 'absent');
  });
});

t.test('outcomes of a delivery', async (t) => {
  const verdicts: Record<string, string> = {
    RATE_LIMITED: 'later',
    OVERLOADED: 'later',
    NOT_DURABLE: 'later',
    UNAVAILABLE: 'later',
    INTERNAL: 'later',
    REQUEST_TIMEOUT: 'later',
    INVALID_API_KEY: 'doubt',
    NOT_FOUND: 'doubt',
    MONITORING_DISABLED: 'doubt',
    SEQUENCE_AHEAD: 'ahead',
    VALIDATION_FAILED: 'refused',
    '': 'refused',
  };
  for (const [code, verdict] of Object.entries(verdicts)) {
    t.same(outcomeOf([code]), { taken: 0, verdict, refused: [] });
    t.same(outcomeOf([undefined, code, 'OVERLOADED']), { taken: 1, verdict, refused: [] });
    t.same(outcomeOf([undefined, code, undefined]).refused, verdict === 'refused' ? [1] : []);
  }
  t.same(outcomeOf([]), { taken: 0, verdict: 'none', refused: [] });
  t.same(outcomeOf([undefined, undefined]), { taken: 2, verdict: 'none', refused: [] });
  t.same(
    outcomeOf(['SEQUENCE_AHEAD', undefined]),
    { taken: 2, verdict: 'none', refused: [] },
    'the server has a newer one',
  );
});

t.test('steps', async (t) => {
  const known = (text: string, over: Partial<FileMemory> = {}): FileMemory =>
    remembered(text, { kind: 'file', ...over });
  const file = (text: string, over: object = {}): Observation => ({
    kind: 'file',
    what: 'file',
    now: version(text),
    prefix: version(text),
    reread: true,
    ...over,
  });
  const denied: Observation = { kind: 'error', code: 'EACCES', message: 'permission denied' };
  const missing = (what: string): Observation => ({ kind: 'missing', what });
  const SENT = {
    sequence: NOW * 1_000,
    timestamp: new Date(NOW).toISOString(),
    configVersion: 3,
    instanceId: 'i',
  };
  const KEPT = { sequence: NOW * 1_000, identity: IDENTITY, repeatedAt: NOW, error: null, missing: false };

  t.test('each report has the members of its change and no other', async (t) => {
    const rolled = { kind: 'rolled', what: 'file', archives: [], archivesNow: [] } as const;
    const cases: [Observation, FileMemory, object][] = [
      [file('abc'), NO_MEMORY, { change: 'FIRST', versions: [version('abc')], reread: true }],
      [
        file('abc'),
        known('abc', { missing: true }),
        { change: 'UNCHANGED', versions: [version('abc')], reread: true },
      ],
      [
        file('abc', { reread: false }),
        known('ab', {}),
        { change: 'REPLACED', versions: [version('abc')], reread: false },
      ],
      [
        denied,
        known('abc'),
        { change: 'ERROR', versions: [], error: { code: 'EACCES', message: 'permission denied' } },
      ],
      [missing(NOTHING), known('abc'), { change: 'MISSING', versions: [] }],
      [
        { kind: 'archive-changed', archives: [], archivesNow: [] },
        known('abc'),
        { change: 'ARCHIVE_CHANGED', versions: [version('abc')], archives: [] },
      ],
      [
        { kind: 'archive-changed', archives: [], archivesNow: [] },
        NO_MEMORY,
        { change: 'ARCHIVE_CHANGED', versions: [], archives: [] },
      ],
      [
        { ...rolled, prefix: version('abX'), now: version('n') },
        known('abc'),
        { change: 'ROLLED', versions: [version('abX'), version('n')], archives: [] },
      ],
      [
        { ...rolled, prefix: null, now: version('n') },
        known('abc'),
        { change: 'ROLLED', versions: [version('abc'), version('n')], archives: [] },
      ],
      [{ ...rolled, prefix: null, now: null }, NO_MEMORY, { change: 'ROLLED', versions: [], archives: [] }],
    ];
    for (const [seen, memory, report] of cases)
      t.strictSame(step(memory, seen, context())?.report, { ...SENT, ...report });
    const unversioned = step(NO_MEMORY, denied, context({ configVersion: undefined }))!.report;
    t.notOk('configVersion' in unversioned);
    const probed = step(known('abc'), file('xyz'), context({ frequency: 'PROBE' }))!.report;
    t.notOk('reread' in probed, 'a probed file has no running hash');
  });

  t.test('what is remembered', async (t) => {
    const before = known('abc', { error: 'EIO', missing: true, kind: NOTHING });
    const after = (seen: Observation, memory = before) => step(memory, seen, context())?.memory;
    const rolled = { kind: 'rolled', what: 'file', archives: [], archivesNow: [] } as const;
    t.strictSame(after(file('abcd')), { ...KEPT, last: version('abcd'), kind: 'file' });
    t.strictSame(after(denied), { ...before, ...KEPT, error: 'EACCES', missing: true });
    t.strictSame(after(missing('FIFO')), { ...before, ...KEPT, missing: true, kind: 'FIFO' });
    t.strictSame(after({ kind: 'archive-changed', archives: [], archivesNow: [] }), {
      ...before,
      ...KEPT,
      missing: true,
    });
    t.strictSame(after({ ...rolled, prefix: version('abX'), now: null }), {
      ...before,
      ...KEPT,
      last: version('abX'),
      kind: 'file',
    });
    t.strictSame(after({ ...rolled, prefix: version('abX'), now: version('n') })?.last, version('n'));
    t.strictSame(after({ ...rolled, prefix: null, now: null }, { ...before, last: null })?.last, null);
  });

  t.test('another path forgets the content; a memory of no path keeps it', async (t) => {
    const moved = known('abc', { identity: 'FOLLOW:/var/log/b.log', missing: true });
    t.strictSame(step(moved, denied, context())?.memory, {
      ...KEPT,
      error: 'EACCES',
      last: null,
      kind: null,
    });
    t.equal(step(known('abc', { identity: null }), file('abc'), context()), undefined);
  });

  t.test('what is missing is told again hourly, and when something else is there', async (t) => {
    const gone = known('abc', { missing: true, kind: NOTHING });
    const change = (memory: FileMemory, what: string, nowMs = NOW) =>
      step(memory, missing(what), context({ nowMs }))?.report.change;
    t.equal(change(gone, NOTHING), undefined);
    t.equal(change(gone, NOTHING, NOW + REPEAT_MS - 1), undefined);
    t.equal(change(gone, NOTHING, NOW + REPEAT_MS), 'MISSING');
    t.equal(change(gone, 'FIFO'), 'MISSING');
    t.equal(change({ ...gone, missing: false }, NOTHING), 'MISSING');
  });

  t.test('a file that can be read again is told, unchanged', async (t) => {
    const change = (over: Partial<FileMemory>) =>
      step(known('abc', over), file('abc'), context())?.report.change;
    t.equal(change({}), undefined);
    t.equal(change({ kind: null }), undefined);
    t.equal(change({ missing: true }), 'UNCHANGED');
    t.equal(change({ error: 'EACCES' }), 'UNCHANGED');
    t.equal(change({ kind: 'link to b.log' }), 'UNCHANGED');
  });

  t.test('versions are the same when length and hash are', async (t) => {
    const longer = { ...version('abc'), length: 4 };
    const seen = file('abc', { now: longer, prefix: version('abc') });
    matchWhole(t, step(known('abc'), seen, context())?.report, {
      change: 'APPENDED',
      versions: [version('abc'), longer],
    });
  });

  t.test('a change of what stands at the path', async (t) => {
    t.equal(NOTHING, 'nothing', 'agents have it on disk');
    const told = (kind: string | null, seen: Observation) => {
      const next = step(known('abc', { kind }), seen, context({ first: true }));
      return next !== undefined && 'kindChanged' in next ? next.kindChanged : 'no member';
    };
    const link = file('abc', { what: 'link to b.log' });
    t.equal(told('file', file('abc')), 'no member');
    t.equal(told(null, file('abc')), 'no member');
    t.equal(told(null, denied), 'no member');
    t.equal(told(null, link), 'no member', 'links were never told before');
    t.equal(told(null, missing('FIFO')), 'there is a FIFO now');
    t.equal(told(NOTHING, file('abc')), 'no member');
    t.equal(told(NOTHING, link), 'there is a link to b.log now');
    t.equal(told('file', missing(NOTHING)), 'no member');
    t.equal(told('file', missing('FIFO')), 'there was a file, there is a FIFO now');
    t.equal(told('FIFO', file('abc')), 'there was a FIFO, there is a file now');
  });
});
