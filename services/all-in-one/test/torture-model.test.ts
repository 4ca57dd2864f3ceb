/** Tests the model of the torture test: alerts that it must, may and never expects. */
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import type { AlertType } from '@sentinel-node/contracts';
import type { Kind } from './torture/disk.ts';
import { expectationOf, isGreenWhileBlind, isLostBecauseShut } from './torture/expectation.ts';
import {
  aheadWhenWritten,
  areArchivesClaimed,
  statesOf,
  without,
  type Claim,
  type Done,
} from './torture/history.ts';
import { kindFaults } from './torture/kinds.ts';
import { eventFaults } from './torture/notices.ts';
import { disturbancesOf, kindsFor, operationsOf } from './torture/plan.ts';
import { fileOf, type WatchedFile } from './torture/policies.ts';
import { faultsOf, hashOf } from './torture/verdict.ts';

const PLAIN: WatchedFile = { ...fileOf(0), frequency: 'FOLLOW', modifiable: true, rolled: false };
const ROLLED: WatchedFile = { ...PLAIN, rolled: true };
const RUN = { from: 0, to: 100_000 };
/** Time between two operations, in ms. */
const APART_MS = 10_000;

interface Case {
  readonly file?: WatchedFile;
  readonly kinds: readonly Kind[];
  /** Numbers of operations after which, before the next one, the agent claims looks. */
  readonly looked?: readonly number[];
  readonly blind?: readonly { readonly from: number; readonly to: number }[];
  readonly starts?: readonly number[];
}

/** Returns the expectation for operations 10 s apart that take 1 ms each. */
function expected({ file = PLAIN, kinds, looked = [], blind = [], starts = [] }: Case) {
  const done = kinds.map((kind, n): Done => {
    const begin = (n + 1) * APART_MS;
    const operation = { id: `0.${n}`, file: 0, atMs: begin, kind, bytes: 400, share: 0.5 };
    return { operation, begin, end: begin + 1, inode: `inode ${n}` };
  });
  const states = statesOf(file, done, RUN);
  const claims = looked.flatMap((n): Claim[] =>
    [1_000, 8_000].map((ms) => ({ at: (n + 1) * APART_MS + ms + 500, checkedAt: (n + 1) * APART_MS + ms })),
  );
  return { ...expectationOf({ file, states, claims, blind, starts }), claims, states };
}

/** Returns only the possible alerts. */
function alerts(one: Case): Partial<Record<AlertType, readonly [number, number]>> {
  const all = Object.entries(expected(one).alerts).filter(([, [, most]]) => most > 0);
  return Object.fromEntries(all);
}

t.test('what a followed file may do raises nothing', (t) => {
  t.strictSame(alerts({ kinds: ['append', 'append', 'chmod', 'flicker'] }), {});
  t.strictSame(
    alerts({ file: { ...PLAIN, frequency: 'PROBE' }, kinds: ['edit', 'replace', 'truncate'] }),
    {},
  );
  t.strictSame(alerts({ file: { ...PLAIN, modifiable: false }, kinds: ['chmod', 'flicker', 'touch'] }), {});
  t.end();
});

t.test('what stays in the end must be told, once', (t) => {
  for (const kind of ['edit', 'truncate', 'replace'] as const)
    t.strictSame(alerts({ kinds: [kind] }), { HASH_BREACH: [1, 1] }, kind);
  t.strictSame(alerts({ file: { ...PLAIN, modifiable: false }, kinds: ['edit'] }), {
    UNEXPECTED_CHANGE: [1, 1],
  });
  t.strictSame(alerts({ kinds: ['delete'] }), { EMPTY: [1, 1] });
  t.end();
});

t.test('permissions of a file that must keep them', (t) => {
  const fixed: WatchedFile = { ...PLAIN, modifiable: false, watchesAttributes: true };
  t.strictSame(alerts({ file: fixed, kinds: ['touch', 'flicker'] }), {});
  t.strictSame(alerts({ file: fixed, kinds: ['chmod'] }), { UNEXPECTED_CHANGE: [1, 1] });
  t.strictSame(
    alerts({ file: fixed, kinds: ['chmod', 'chmod'] }),
    { UNEXPECTED_CHANGE: [1, 1] },
    'the same again',
  );
  t.strictSame(
    alerts({ file: fixed, kinds: ['chmod', 'edit'] }),
    { UNEXPECTED_CHANGE: [1, 2] },
    'one look can find both',
  );
  t.strictSame(alerts({ file: fixed, kinds: ['chmod', 'edit'], looked: [0] }), { UNEXPECTED_CHANGE: [2, 2] });
  t.strictSame(
    alerts({ file: fixed, kinds: ['chmod', 'replace'] }),
    { UNEXPECTED_CHANGE: [1, 2] },
    'a new file has the mode that it had at first',
  );
  t.strictSame(alerts({ file: { ...fixed, rolled: true }, kinds: ['chmod', 'retire-archive'] }), {
    UNEXPECTED_CHANGE: [1, 1],
  });
  t.strictSame(alerts({ file: fixed, kinds: ['chown'] }), { UNEXPECTED_CHANGE: [1, 1] });
  t.strictSame(
    alerts({ file: fixed, kinds: ['chown', 'flicker'] }),
    { UNEXPECTED_CHANGE: [0, 2] },
    'a new file has the owner that it had at first',
  );
  t.strictSame(alerts({ file: { ...fixed, watchesAttributes: false }, kinds: ['chmod', 'chown'] }), {});
  t.end();
});

t.test('links in the place of a file', (t) => {
  t.strictSame(
    alerts({ kinds: ['link', 'append', 'append-elsewhere', 'chmod'] }),
    {},
    'the bytes are the same',
  );
  t.strictSame(alerts({ kinds: ['link-other'] }), { HASH_BREACH: [1, 1] });
  t.strictSame(alerts({ file: { ...PLAIN, frequency: 'PROBE' }, kinds: ['link-other', 'link'] }), {});
  t.strictSame(alerts({ kinds: ['link', 'delete'] }), { EMPTY: [1, 1] }, 'also when it leads nowhere');
  const fixed: WatchedFile = { ...PLAIN, modifiable: false, watchesAttributes: true };
  const once = { UNEXPECTED_CHANGE: [1, 1] };
  t.strictSame(alerts({ file: fixed, kinds: ['link'] }), once);
  t.strictSame(alerts({ file: fixed, kinds: ['link', 'link'], looked: [0] }), { UNEXPECTED_CHANGE: [2, 2] });
  t.strictSame(alerts({ file: fixed, kinds: ['link', 'flicker'] }), { UNEXPECTED_CHANGE: [0, 2] });
  t.strictSame(alerts({ file: { ...fixed, watchesAttributes: false }, kinds: ['link'] }), {});
  t.strictSame(alerts({ file: ROLLED, kinds: ['link'] }), { ROLLED_FILE_CHANGED: [1, 1] }, 'another inode');
  t.strictSame(alerts({ file: ROLLED, kinds: ['append-elsewhere', 'rotate', 'copytruncate'] }), {});
  t.end();
});

t.test('a link that was looked at is told', (t) => {
  const told = [{ type: 'AGENT_ERROR', note: JSON.stringify({ code: 'FILE_KIND' }) }] as never;
  const seen = expected({ kinds: ['link'], looked: [0] });
  t.strictSame(kindFaults(told, seen), []);
  matchList(t, kindFaults([], seen), [/^MISSED/]);
  t.strictSame(kindFaults([], expected({ kinds: ['link'] })), [], 'nobody said that it was looked at');
  matchList(t, kindFaults(told, expected({ kinds: ['append-elsewhere'] })), [/^FALSE/]);
  t.end();
});

t.test('what passes may be missed, unless the agent said that it looked', (t) => {
  const kinds = ['edit', 'replace'] as const;
  t.strictSame(alerts({ kinds }), { HASH_BREACH: [1, 2] });
  t.strictSame(alerts({ kinds, looked: [0] }), { HASH_BREACH: [2, 2] });
  t.strictSame(alerts({ kinds: ['edit', 'edit'] }), { HASH_BREACH: [0, 2] }, 'changed and changed back');
  t.strictSame(alerts({ kinds: ['edit', 'edit'], looked: [0] }), { HASH_BREACH: [2, 2] });
  const blind = [{ from: 9_000, to: 25_000 }];
  t.strictSame(alerts({ kinds, blind }), { HASH_BREACH: [1, 1] }, 'nobody could look at the first');
  t.end();
});

t.test('an agent that says it looked when nobody could is a fault, and proves nothing', (t) => {
  const blind = [{ from: 9_000, to: 25_000 }];
  const { alerts, lies, total, versions } = expected({ kinds: ['edit', 'replace'], looked: [0], blind });
  t.strictSame(lies, [10_001]);
  t.strictSame(alerts.HASH_BREACH, [1, 1]);
  const shown = { contact: 'OK', hashes: [], occurrences: { HASH_BREACH: 1 } };
  matchList(t, faultsOf(shown, { alerts, lies, total, versions: [] }, null), [/when nobody could/, /gone/]);
  t.equal(versions.length, 2, 'the first and the last');
  t.end();
});

t.test('a file that was away', (t) => {
  t.strictSame(alerts({ kinds: ['delete', 'create'] }), { EMPTY: [0, 1], HASH_BREACH: [1, 1] });
  t.strictSame(alerts({ kinds: ['delete', 'create'], looked: [0] }), { EMPTY: [1, 1], HASH_BREACH: [1, 1] });
  t.strictSame(alerts({ file: { ...PLAIN, isMissingAtFirst: true }, kinds: ['create'] }), { EMPTY: [1, 1] });
  t.end();
});

t.test('rolled files', (t) => {
  const rolled = (kinds: readonly Kind[], more: Partial<Case> = {}) =>
    alerts({ file: ROLLED, kinds, ...more });
  t.strictSame(rolled(['append', 'rotate', 'append', 'rotate', 'copytruncate', 'retire-archive']), {});
  t.strictSame(rolled(['replace']), { ROLLED_FILE_CHANGED: [1, 1] }, 'no archive holds what was there');
  t.strictSame(rolled(['truncate']), { ROLLED_FILE_CHANGED: [1, 1] });
  t.strictSame(rolled(['edit']), { HASH_BREACH: [1, 1] });
  t.strictSame(rolled(['edit', 'rotate']), { ROLLED_FILE_CHANGED: [0, 1], HASH_BREACH: [0, 1] });
  t.strictSame(rolled(['edit', 'rotate'], { looked: [0] }), { HASH_BREACH: [1, 1] });
  const five = Array.from({ length: 5 }, () => 'rotate' as const);
  const blind = [{ from: 19_000, to: 79_000 }];
  const unseen = { looked: [0], blind, starts: [19_500] };
  t.strictSame(
    rolled(['append', ...five, 'rotate'], unseen),
    { ROLLED_FILE_CHANGED: [1, 1] },
    'what was there is lost',
  );
  t.strictSame(
    rolled(['copytruncate', ...five], unseen),
    { ROLLED_FILE_CHANGED: [0, 1] },
    'nothing was there, and no archive that was known is left',
  );
  t.strictSame(rolled(['copytruncate', ...five.slice(1)], unseen), {}, 'one is left');
  t.strictSame(rolled(['copytruncate', ...five], { ...unseen, starts: [] }), {}, 'the inode tells of it');
  const empty = Array.from({ length: 4 }, () => 'copytruncate' as const);
  const off = { blind: [{ from: 29_000, to: 79_000 }], starts: [29_500] };
  t.strictSame(
    rolled(['copytruncate', 'copytruncate', ...empty], { looked: [0, 1], ...off }),
    {},
    'an empty archive that was seen twice is left',
  );
  t.strictSame(
    rolled(['copytruncate', 'copytruncate', ...empty], { looked: [0], ...off }),
    { ROLLED_FILE_CHANGED: [0, 1] },
    'the one that is left was never seen',
  );
  const restarted = { ROLLED_FILE_CHANGED: [0, 1], HASH_BREACH: [0, 1] };
  t.strictSame(rolled(['replace'], { starts: [15_000] }), restarted);
  t.end();
});

t.test('archives that were known must not change', (t) => {
  const kinds = ['append', 'edit-archive', 'chmod'] as const;
  t.strictSame(alerts({ file: ROLLED, kinds }), { ROLLED_FILE_CHANGED: [0, 1] });
  t.strictSame(alerts({ file: ROLLED, kinds, looked: [0, 1] }), { ROLLED_FILE_CHANGED: [1, 1] });
  t.strictSame(alerts({ file: ROLLED, kinds: ['append', 'retire-archive', 'chmod'], looked: [0, 1] }), {});
  const probed: WatchedFile = { ...ROLLED, frequency: 'PROBE' };
  const twice = ['append', 'edit-archive', 'edit-archive', 'edit'] as const;
  const blind = [{ from: 19_000, to: 41_000 }];
  t.strictSame(
    alerts({ file: probed, kinds: twice, blind }),
    { ROLLED_FILE_CHANGED: [0, 2] },
    'one that was edited twice is what it was',
  );
  t.strictSame(alerts({ file: probed, kinds: twice, looked: [0, 1, 2] }), { ROLLED_FILE_CHANGED: [2, 2] });
  t.equal(
    areArchivesClaimed({ from: 0, to: 9_000 }, [{ at: 1_000, checkedAt: 900 }], []),
    false,
    'one look is not enough',
  );
  const all = ['append', 'retire-archive', 'replace', 'edit-archive'] as const;
  const off = { looked: [0, 3], blind: [{ from: 19_000, to: 40_500 }], starts: [40_500] };
  t.strictSame(
    alerts({ file: ROLLED, kinds: all, ...off }),
    { ROLLED_FILE_CHANGED: [1, 2] },
    'one look finds the file and its last archive changed, and tells both by one report',
  );
  t.strictSame(
    alerts({
      file: ROLLED,
      kinds: ['append', 'replace', 'edit-archive'],
      looked: [0, 2],
      blind: [{ from: 19_000, to: 30_500 }],
      starts: [30_500],
    }),
    { ROLLED_FILE_CHANGED: [2, 2] },
    'the loss beside an older one is told by itself',
  );
  const rewritten = {
    file: ROLLED,
    kinds: ['append', 'rewrite', 'edit-archive', 'append'] as const,
    looked: [0, 3],
    blind: [{ from: 19_000, to: 30_500 }],
  };
  t.strictSame(
    alerts(rewritten),
    { ROLLED_FILE_CHANGED: [0, 2], HASH_BREACH: [0, 1] },
    'told first, the archive is known, and the file has changed without a rotation',
  );
  t.strictSame(expected(rewritten).total, [1, 2]);
  const anew = {
    file: ROLLED,
    kinds: ['append', 'edit-archive', 'link'] as const,
    looked: [0, 2],
    blind: [{ from: 19_000, to: 30_500 }],
  };
  t.strictSame(
    alerts({ ...anew, starts: [25_000, 35_000] }),
    { ROLLED_FILE_CHANGED: [0, 2] },
    'an agent that was started anew sees neither another inode nor, at one look, an edited archive',
  );
  t.strictSame(alerts({ ...anew, starts: [25_000] }), { ROLLED_FILE_CHANGED: [1, 2] }, 'at two it does');
  t.strictSame(
    alerts({ ...anew, kinds: ['append', 'link', 'edit-archive'], starts: [25_000] }),
    { ROLLED_FILE_CHANGED: [1, 2] },
    'an archive that is told by itself is not told by the file too, whose inode nobody knows',
  );
  const absent = {
    file: ROLLED,
    kinds: ['delete', 'create', 'lose-archive', 'chmod'] as const,
    blind: [{ from: 19_000, to: 30_500 }],
  };
  t.strictSame(
    alerts({ ...absent, looked: [0, 2] }),
    { EMPTY: [1, 1], ROLLED_FILE_CHANGED: [1, 2] },
    'who looks at a missing file does not see its archives',
  );
  t.strictSame(
    alerts({ ...absent, looked: [-1, 0, 2] }),
    { EMPTY: [1, 1], ROLLED_FILE_CHANGED: [2, 2] },
    'those of a file that was there before are known',
  );
  const two = [
    { at: 1_000, checkedAt: 900 },
    { at: 5_000, checkedAt: 4_900 },
  ];
  t.equal(areArchivesClaimed({ from: 0, to: 9_000 }, two, [500, 6_000]), true);
  t.equal(areArchivesClaimed({ from: 0, to: 9_000 }, two, [2_000]), false, 'a new run waits anew');
  t.end();
});

t.test('a link in the place of an unmodifiable file, beside an edited archive', (t) => {
  const file: WatchedFile = { ...ROLLED, modifiable: false, watchesAttributes: true };
  const one = { file, kinds: ['touch', 'edit-archive', 'link'] as const, looked: [0, 2] };
  const either = { UNEXPECTED_CHANGE: [0, 1], ROLLED_FILE_CHANGED: [0, 2] };
  t.strictSame(alerts(one), either, 'the archive is told by the link’s report, or by itself before');
  t.strictSame(expected(one).total, [1, 3], 'one of them must come');
  const restarted = { ...one, starts: [25_000] };
  t.strictSame(alerts(restarted), either);
  t.strictSame(expected(restarted).total, [1, 3]);
  const once = { ...restarted, starts: [25_000, 35_000] };
  t.strictSame(expected(once).total, [1, 3], 'the link is another attribute');
  const withoutAttributes = { ...once, file: { ...file, watchesAttributes: false } };
  t.strictSame(expected(withoutAttributes).total, [0, 3], 'nothing shows one look of a new run the change');
  const seen = { ...one, looked: [0, 1, 2] };
  t.strictSame(expected(seen).total, [2, 3], 'an edit that was looked at twice is told by itself');
  t.end();
});

t.test('the server is held against it', (t) => {
  const { alerts, lies, states, total, versions } = expected({ kinds: ['append', 'edit'], looked: [0] });
  const contents = states.filter(({ isPassing }) => !isPassing).map(({ disk }) => disk.content!);
  const hashes = contents.map(hashOf).reverse();
  const shown = { contact: 'OK', hashes, occurrences: { HASH_BREACH: 1 } };
  const faults = (more: object) =>
    faultsOf({ ...shown, ...more }, { alerts, lies, total, versions }, contents.at(-1)!);
  t.strictSame(faults({}), []);
  matchList(t, faults({ contact: 'LOST' }), [/LOST/]);
  matchList(t, faults({ occurrences: {} }), [/^MISSED: HASH_BREACH/]);
  matchList(t, faults({ occurrences: { HASH_BREACH: 2 } }), [/^FALSE: HASH_BREACH/]);
  matchList(t, faults({ occurrences: { HASH_BREACH: 1, EMPTY: 1 } }), [/^FALSE: EMPTY/]);
  const either = { ...alerts, HASH_BREACH: [0, 1], EMPTY: [0, 1] } as const;
  const none = { ...shown, occurrences: {} };
  matchList(t, faultsOf(none, { alerts: either, lies, total: [1, 2], versions }, contents.at(-1)!), [
    /^MISSED: any alert/,
  ]);
  matchList(t, faults({ hashes: hashes.slice(1) }), [/the chain ends with/, /had looked/]);
  matchList(t, faults({ hashes: [hashes[0]!, hashes[2]!] }), [/the agent said that it had looked/]);
  matchList(t, faultsOf(shown, { alerts, lies, total, versions }, null), [/the file is gone/]);
  t.end();
});

t.test('green while blind', (t) => {
  const asked = { from: 100_000, to: 100_100 };
  const shown = { asked, contact: 'OK' };
  t.equal(isGreenWhileBlind(shown, 30_000, [{ from: 60_000, to: 100_100 }]), true);
  t.equal(isGreenWhileBlind({ asked, contact: 'LOST' }, 30_000, [{ from: 60_000, to: 100_100 }]), false);
  t.equal(
    isGreenWhileBlind(shown, 30_000, [{ from: 80_000, to: 100_100 }]),
    false,
    'it was looked at in its time',
  );
  t.equal(isGreenWhileBlind(shown, 30_000, []), false);
  t.strictSame(without({ from: 0, to: 10 }, [{ from: 2, to: 4 }]), [
    { from: 0, to: 2 },
    { from: 4, to: 10 },
  ]);
  t.end();
});

t.test('a folder that is shut', (t) => {
  t.equal(isLostBecauseShut({ contact: 'LOST', problem: 'EACCES' }), true);
  t.equal(
    isLostBecauseShut({ contact: 'LOST', problem: undefined }),
    false,
    'as any file while the agent is away',
  );
  t.equal(isLostBecauseShut({ contact: 'OK', problem: undefined }), false);
  t.equal(isLostBecauseShut(undefined), false, 'the server did not answer');
  t.end();
});

t.test('what a status says is of the time at which it was written', (t) => {
  const clocks = [
    { from: 0, byMs: 0 },
    { from: 100_000, byMs: 40_000 },
    { from: 110_000, byMs: 0 },
  ];
  const ahead = (shown: number, written: number) => aheadWhenWritten(shown, written, clocks);
  t.equal(ahead(50_000, 50_100), 0);
  t.equal(ahead(145_000, 105_100), 40_000, 'however much later it is read');
  t.equal(ahead(145_000, 145_100), 0);
  t.equal(ahead(148_500, 108_600), undefined, 'the clock was just being set');
  t.equal(ahead(60_000, 104_000), undefined, 'the agent hung before it wrote');
  t.end();
});

t.test('events', (t) => {
  const event = (type: string, note: object) =>
    ({ type, note: JSON.stringify(note), fileName: 'f' }) as never;
  const happened = {
    jumps: false,
    mustTellJump: false,
    isFull: false,
    isShut: false,
    mustTellShut: false,
  };
  t.strictSame(
    eventFaults([event('ROLLING', {}), event('AGENT_ERROR', { code: 'ARCHIVE_REMOVED' })], happened),
    [],
  );
  matchList(t, eventFaults([event('AGENT_ERROR', { code: 'STATE_BROKEN' })], happened), [/STATE_BROKEN/]);
  matchList(t, eventFaults([event('MALFORMED_DATA', {})], happened), [/MALFORMED_DATA/]);
  const back = event('AGENT_ERROR', { code: 'SEQUENCE_BACK' });
  matchList(t, eventFaults([back], happened), [/SEQUENCE_BACK/]);
  t.strictSame(eventFaults([back], { ...happened, jumps: true }), []);
  for (const code of ['SPOOL_FAILING', 'SPOOL_FAILED', 'RECEIPTS_NOT_KEPT']) {
    const full = event('AGENT_ERROR', { code });
    matchList(t, eventFaults([full], happened), [new RegExp(code)], 'only with a full disk');
    t.strictSame(eventFaults([full], { ...happened, isFull: true }), []);
  }
  t.strictSame(eventFaults([], { ...happened, jumps: true }), []);
  matchList(t, eventFaults([], { ...happened, mustTellJump: true }), [/jump/]);
  matchList(t, eventFaults([], { ...happened, mustTellShut: true }), [/shut/]);
  t.end();
});

t.test('a seed makes the same operations, and honest files do only what they may', (t) => {
  const wish = { seed: 7, files: 40, seconds: 300, canChown: true };
  const operations = operationsOf(wish);
  t.strictSame(operations, operationsOf(wish));
  t.strictSame(disturbancesOf(wish), disturbancesOf(wish));
  t.notSame(operations, operationsOf({ ...wish, seed: 8 }));
  t.ok(operations.length > 200);
  t.ok(operations.some(({ kind }) => kind === 'chown'));
  t.notOk(operationsOf({ ...wish, canChown: false }).some(({ kind }) => kind === 'chown'));
  for (const { file, kind } of operations)
    if (fileOf(file).isHonest) t.ok(kindsFor(fileOf(file)).includes(kind), `${file} ${kind}`);
  t.end();
});
