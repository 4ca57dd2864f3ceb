/** Checks that every answer of ARC and Arcade has one meaning. */
import t from 'tap';
import {
  CODE_MEANINGS,
  codeMeaning,
  effectiveCode,
  isTaken,
  STATUS_MEANINGS,
  statusMeaning,
  type Finality,
} from '../src/ledger/arc/outcomes.ts';
import type { LedgerStatus } from '../src/index.ts';

const STATUSES: readonly [string, Finality, LedgerStatus | undefined][] = [
  ['UNKNOWN', 'passing', undefined],
  ['QUEUED', 'passing', 'QUEUED'],
  ['RECEIVED', 'passing', 'RECEIVED'],
  ['STORED', 'passing', 'STORED'],
  ['ANNOUNCED_TO_NETWORK', 'passing', 'ANNOUNCED_TO_NETWORK'],
  ['REQUESTED_BY_NETWORK', 'passing', 'REQUESTED_BY_NETWORK'],
  ['SENT_TO_NETWORK', 'passing', 'SENT_TO_NETWORK'],
  ['ACCEPTED_BY_NETWORK', 'passing', 'ACCEPTED_BY_NETWORK'],
  ['SEEN_IN_ORPHAN_MEMPOOL', 'alarm', 'SEEN_IN_ORPHAN_MEMPOOL'],
  ['SEEN_ON_NETWORK', 'passing', 'SEEN_ON_NETWORK'],
  ['DOUBLE_SPEND_ATTEMPTED', 'alarm', 'DOUBLE_SPEND_ATTEMPTED'],
  ['REJECTED', 'final', 'REJECTED'],
  ['MINED_IN_STALE_BLOCK', 'alarm', 'MINED_IN_STALE_BLOCK'],
  ['MINED', 'passing', 'MINED'],
  ['PENDING_RETRY', 'passing', 'RECEIVED'],
  ['SEEN_MULTIPLE_NODES', 'passing', 'SEEN_ON_NETWORK'],
  ['SEEN_ON_MULTIPLE_NODES', 'passing', 'SEEN_ON_NETWORK'],
  ['STUMP_PROCESSING', 'passing', 'SEEN_ON_NETWORK'],
  ['IMMUTABLE', 'passing', 'MINED'],
];

for (const [word, finality, status] of STATUSES)
  t.test(`txStatus ${word} is ${finality}`, (t) => {
    t.same(statusMeaning(word), { finality, status });
    t.end();
  });

t.test('no word of the table is left out above, and a strange one is on its way, with an alarm', (t) => {
  t.same([...STATUS_MEANINGS.keys()].sort(), STATUSES.map(([word]) => word).sort());
  for (const word of ['', 'mined', 'TELEPORTED', '__proto__'])
    t.same(statusMeaning(word), { finality: 'alarm', status: 'RECEIVED' }, word);
  t.end();
});

const CODES: Readonly<Record<Finality, readonly number[]>> = {
  final: [460, 461, 462, 463, 464, 465, 466, 471, 472, 474],
  passing: [408, 425, 429, 500, 501, 502, 503, 504, 507, 520, 529, 599],
  alarm: [400, 401, 403, 404, 405, 409, 413, 415, 422, 467, 468, 469, 470, 473, 475, 476],
};

for (const [finality, codes] of Object.entries(CODES))
  for (const code of codes)
    t.test(`code ${code} is ${finality}`, (t) => {
      t.equal(codeMeaning(code), finality);
      t.end();
    });

t.test('no code of the table is left out above, and a strange one is asked again, with an alarm', (t) => {
  const told = Object.values(CODES).flat();
  t.same(
    [...CODE_MEANINGS.keys()].filter((code) => !told.includes(code)),
    [],
  );
  for (const code of [100, 204, 301, 302, 307, 308, 402, 418, 451, 477, 499, 600, 0])
    t.equal(codeMeaning(code), 'alarm', String(code));
  t.end();
});

t.test('an answer is taken with 200, 201 and 202 only', (t) => {
  const taken = Array.from({ length: 600 }, (_, code) => code).filter(isTaken);
  t.same(taken, [200, 201, 202]);
  t.end();
});

t.test('an ARC error within a 400 or a 2xx counts; elsewhere the code of HTTP does', (t) => {
  t.equal(effectiveCode(400, 461), 461);
  t.equal(effectiveCode(200, 463), 463);
  t.equal(effectiveCode(202, 476), 476);
  t.equal(effectiveCode(400, undefined), 400);
  t.equal(effectiveCode(400, 400), 400);
  t.equal(effectiveCode(200, 200), 200);
  t.equal(effectiveCode(200, 500), 200);
  t.equal(effectiveCode(400, 500), 400);
  t.equal(effectiveCode(503, 461), 503, 'a gateway that fails says nothing about the transaction');
  t.equal(effectiveCode(401, 461), 401);
  t.end();
});
