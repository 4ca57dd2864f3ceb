/** Two proofs, signed and then changed, never end a check with an exception, and no change hides a contradiction. */
import t from 'tap';
import { checkProof, isSigned } from '../src/proof/check.ts';
import { concludeCheck, printedChecks } from '../src/proof/conclusion.ts';
import type { CheckedProof } from '../src/proof/report.ts';
import type { Proof } from '../src/proof/proof.ts';
import { fork, proofIn, trunk } from './forked-log.ts';
import { diceOf, restructured } from './mutants.ts';
import { NAMES, online, proofs, trust } from './proof-support.ts';

const TIMES = Number(process.env['SENTINEL_MUTANTS'] ?? 1);
const SEED = Number(process.env['SENTINEL_SEED'] ?? 31);
const MUTANTS = 2_000;

const checked = async (document: object): Promise<CheckedProof> => ({
  verdict: await checkProof(document, trust, online),
  file: undefined,
  headers: online.headers,
});
const [ofTrunk, ofFork] = [proofIn(trunk, 0), proofIn(fork, 4)];

t.test('a proof of a second log is told, whatever was done to its transaction and block', async (t) => {
  const transaction = ofFork.transaction!;
  const block = ofFork.block!;
  const changes: Readonly<Record<string, Partial<Proof>>> = {
    nothing: {},
    'no transaction': { transaction: null },
    'no transaction and no block': { transaction: null, block: null },
    'a transaction of one byte': { transaction: { ...transaction, raw: '00' } },
    'a transaction cut short': { transaction: { ...transaction, raw: transaction.raw.slice(0, -2) } },
    'a transaction of 64 bytes': { transaction: { ...transaction, raw: '00'.repeat(64) } },
    'another id': { transaction: { ...transaction, txid: '44'.repeat(32) } },
    'a path of one byte': { block: { ...block, bump: '00' } },
  };
  const whole = await checked(ofTrunk);
  for (const [what, change] of Object.entries(changes)) {
    const other = await checked({ ...ofFork, ...change });
    t.ok(isSigned(other.verdict), what);
    for (const of of [
      [whole, other],
      [other, whole],
    ]) {
      const conclusion = concludeCheck(of);
      t.equal(conclusion.end, 'CONFLICT', what);
      t.strictSame(
        conclusion.pairs[0]?.conflicts.map(({ code }) => code),
        ['LOG_CONFLICT'],
        what,
      );
      t.match(printedChecks(of, conclusion, NAMES), /Together: CONFLICT: /, what);
    }
  }
});

t.test('no change of a signed proof makes the comparison with another throw', async (t) => {
  const dice = diceOf(SEED);
  const all = [...proofs.map(({ proof }) => proof), ofTrunk, ofFork, proofIn(trunk, 2), proofIn(fork, 3)];
  const others = await Promise.all(all.map(checked));
  let signed = 0;
  for (let n = 0; n < MUTANTS * TIMES; n++) {
    const of = dice.one(all);
    const { what, value } = restructured(of, dice.one(all), dice);
    const mutant = await checked(value);
    if (isSigned(mutant.verdict)) signed += 1;
    for (const other of others) {
      const pair = dice.below(2) === 0 ? [mutant, other] : [other, mutant];
      try {
        printedChecks(pair, concludeCheck(pair), NAMES);
      } catch (error) {
        t.fail(`mutant ${n} of seed ${SEED}: ${what}: ${String(error)}`);
      }
    }
  }
  t.ok(signed > MUTANTS / 10, `${signed} of ${MUTANTS * TIMES} are still signed`);
});
