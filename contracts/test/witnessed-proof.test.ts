/** Proofs with cosigned checkpoints. */
import t from 'tap';
import { decodeBatchHeader } from '../src/log/batch-header.ts';
import { fromHex } from '../src/bytes/bytes.ts';
import { parseCheckpoint } from '../src/log/checkpoint.ts';
import { cosign } from '../src/log/cosignature.ts';
import { checkProof, type ProofCheckOptions } from '../src/proof/check.ts';
import { readTrustFile } from '../src/proof/json.ts';
import type { Proof, ProofTrust } from '../src/proof/proof.ts';
import { formatVerifierKey } from '../src/log/verifier-key.ts';
import { cosignerOf, newNoteKey } from './note-keys.ts';
import { knowing, named, NOW, online, trust, whole } from './proof-support.ts';

const keys = [1, 2, 3].map(newNoteKey);
const cosigners = keys.map((key, at) => cosignerOf(`w${at}.example`, key));
const witnesses = cosigners.map((cosigner, at) => `witness w${at} ${formatVerifierKey(cosigner)}\n`).join('');
const policy = `${witnesses}group two 2 w0 w1 w2\nquorum two\n`;
const trusting: ProofTrust = { ...trust, policy };

const TIME = 1_799_000_000;
const line = (note: string, at: number, by = at, time = TIME): string =>
  cosign(parseCheckpoint(note)!.text, cosigners[at]!, time, keys[by]!.sign).line;
const signedBy = (proof: Proof, lines: (note: string) => string): Proof => {
  const note = proof.batch!.checkpoint;
  return { ...proof, batch: { ...proof.batch!, checkpoint: note + lines(note) } };
};
const check = async (proof: Proof, options: ProofCheckOptions = online, by = trusting) => {
  const { outcome, codes, holds } = await checkProof(proof, by, options);
  return {
    outcome,
    codes: codes.filter((code) => code !== 'COMPLETENESS_NOT_SHOWN'),
    holds: holds.map(({ code }) => code),
  };
};
/** The outcome and all codes, without what holds. */
const verdict = async (...given: Parameters<typeof check>) => {
  const { outcome, codes } = await check(...given);
  return { outcome, codes };
};
const two = signedBy(whole, (note) => line(note, 0) + line(note, 2));

t.test('a quorum in the proof shows one log, by nothing that the checker kept', async (t) => {
  const found = await check(two);
  t.strictSame([found.outcome, found.codes], ['HOLDS', []]);
  t.ok(found.holds.includes('WITNESSED'));
  t.strictSame(await verdict(whole), {
    outcome: 'ONE_LOG_NOT_SHOWN',
    codes: ['QUORUM_MISSING', 'ONE_LOG_NOT_SHOWN'],
  });
  const one = signedBy(whole, (note) => line(note, 1));
  t.match(await check(one), { outcome: 'ONE_LOG_NOT_SHOWN' });
  const twice = signedBy(whole, (note) => line(note, 1) + line(note, 1));
  t.match(await check(twice), { outcome: 'ONE_LOG_NOT_SHOWN' }, 'one witness counts once');
  t.strictSame(await verdict(one, knowing(one)), { outcome: 'HOLDS', codes: ['QUORUM_MISSING'] });
});

t.test('a policy without a quorum, or none, shows nothing by itself', async (t) => {
  for (const by of [
    trust,
    { ...trust, policy: 'quorum none\n' },
    { ...trust, policy: `${witnesses}quorum none\n` },
  ]) {
    const found = await check(two, online, by);
    t.strictSame([found.outcome, found.codes], ['ONE_LOG_NOT_SHOWN', ['ONE_LOG_NOT_SHOWN']]);
    t.notOk(found.holds.includes('WITNESSED'));
  }
  t.match(await check(two, knowing(two), trust), { outcome: 'HOLDS' }, 'the lines disturb no other way');
});

t.test('a line that the witness did not sign makes the proof fail', async (t) => {
  for (const wrong of [
    signedBy(two, (note) => line(note, 1, 0)),
    signedBy(whole, (note) => line(note, 0) + line(note, 1) + line(named('batch 0').batch!.checkpoint, 2)),
  ]) {
    t.strictSame(await verdict(wrong), {
      outcome: 'FAILS',
      codes: ['COSIGNATURE_INVALID', 'ONE_LOG_NOT_SHOWN'],
    });
    t.match(await check(wrong, knowing(wrong), trust), { outcome: 'HOLDS' }, 'nobody knows the witness');
  }
});

t.test('a cosignature from before the batch, or from after the check, does not count', async (t) => {
  const closedAt = Number(decodeBatchHeader(fromHex(whole.batch!.header))!.closedAt) / 1_000;
  const now = NOW / 1_000;
  const timed = (time: number) => signedBy(whole, (note) => line(note, 0) + line(note, 2, 2, time));
  for (const time of [1, Math.floor(closedAt) - 601, now + 601, 2 ** 52]) {
    t.strictSame(
      await verdict(timed(time)),
      { outcome: 'ONE_LOG_NOT_SHOWN', codes: ['COSIGNATURE_TIME', 'QUORUM_MISSING', 'ONE_LOG_NOT_SHOWN'] },
      String(time),
    );
    const enough = signedBy(timed(time), (note) => line(note, 1));
    t.strictSame(await verdict(enough), { outcome: 'HOLDS', codes: ['COSIGNATURE_TIME'] }, String(time));
    const both = signedBy(timed(time), (note) => line(note, 2));
    t.strictSame(await verdict(both), { outcome: 'HOLDS', codes: [] }, 'a possible one beside it counts');
  }
  for (const time of [Math.ceil(closedAt) - 600, now + 600])
    t.strictSame(await verdict(timed(time)), { outcome: 'HOLDS', codes: [] }, String(time));
});

t.test('a later checkpoint with the quorum, and the way to it', async (t) => {
  const early = named('batch 0');
  const known = knowing(early);
  const note = known.oneLog!.checkpoint!;
  const oneLog = { ...known.oneLog, checkpoint: note + line(note, 1) + line(note, 2) };
  const found = await check(early, { ...known, oneLog });
  t.strictSame([found.outcome, found.codes], ['HOLDS', []]);
  t.ok(found.holds.includes('WITNESSED'));
  const { consistencies: _, ...alone } = oneLog;
  t.match(await check(early, { ...known, oneLog: alone }), { outcome: 'ONE_LOG_NOT_SHOWN' });
});

t.test('a checkpoint that ends before the batch is not of it', async (t) => {
  const { oneLog } = knowing(named('batch 0'));
  const first = named('batch 0').batch!.checkpoint;
  const options = { ...online, oneLog: { ...oneLog, checkpoint: first + line(first, 0) + line(first, 1) } };
  const found = await check(whole, options);
  t.strictSame([found.outcome, found.codes], ['HOLDS', ['KEPT_CHECKPOINT_OLDER', 'QUORUM_MISSING']]);
  t.notOk(found.holds.includes('WITNESSED'));
});

t.test('the policy in a trust file is read as strictly as the rest', async (t) => {
  const read = (file: object) => readTrustFile(Buffer.from(JSON.stringify(file)));
  t.same(read(trusting), { value: trusting });
  const ofOther = `log ${formatVerifierKey({ name: 'other', type: 1, publicKey: keys[0]!.publicKey })}\nquorum none\n`;
  for (const wrong of ['', 'quorum two\n', policy.trimEnd(), ofOther, 7]) {
    t.same(read({ ...trust, policy: wrong }), { problem: 'UNKNOWN_FORM', member: '/policy' }, String(wrong));
    const { codes } = await check(two, online, { ...trust, policy: wrong } as ProofTrust);
    t.strictSame(codes, ['TRUST_UNUSABLE']);
  }
});
