/** Looks once at a published log and updates the kept checkpoint. */
import { existsSync } from 'node:fs';
import { codeOf } from '@sentinel-node/contracts/thrown';
import {
  checkedNoteOf,
  checkWitnesses,
  COSIGNATURE_CLOCK_SECONDS,
  equalBytes,
  fromHex,
  logIdOf,
  MAX_CHECKPOINT_LENGTH,
  NOTE_KEY_TYPES,
  policyOfTrust,
  quorumOf,
  shownMoment,
  toHex,
  verifyCheckpoint,
  type ProofTrust,
  type SignedCheckpoint,
} from '@sentinel-node/contracts';
import { writeWhole } from '../io/sealed.ts';
import { verifyEd25519 } from '../verify/ed25519.ts';
import { VerifyInputError } from '../verify/inputs.ts';
import { readUpTo } from '../verify/read-input.ts';
import { checkEntries } from './entries.ts';
import { keepEvidence, written } from './evidence.ts';
import { compare, type Outcome } from './look.ts';
import type { PublishedLog } from './published-log.ts';

/**
 * Result of a look. Besides the outcomes of a comparison: NOT_SIGNED by the log; BAD_ENTRIES: signed, but its entries do
 * not fit; NOT_WITNESSED: the policy's quorum is missing; TOO_OLD; NOTHING_KEPT: the file of the kept checkpoint was lost;
 * EMPTY: the log has no batch, so that nothing is shown.
 */
export type Result =
  | Outcome
  | 'NOT_SIGNED'
  | 'BAD_ENTRIES'
  | 'NOT_WITNESSED'
  | 'TOO_OLD'
  | 'NOTHING_KEPT'
  | 'EMPTY';

const FIRST_LOOK = 'the first look: nothing of before is shown';
const NOTHING_KEPT =
  'the state file of an earlier look was lost. Whether the log went on until now is not shown; its checkpoint is kept from now on';
/** Ends the name of the file that a first look makes: without the state file beside it, that one was lost. */
const BEGUN = '.begun';

export interface Found {
  readonly result: Result;
  readonly text: string;
  /** Path of the evidence file. */
  readonly evidence?: string;
}

export interface Looking {
  readonly trust: ProofTrust;
  readonly log: PublishedLog;
  /** File of the kept checkpoint. */
  readonly state: string;
  /** Infinity: only what is ahead of the clock is refused. Undefined: no time is looked at, because the clock here may be wrong. */
  readonly maxAgeSeconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Looks once. The newest checkpoint replaces the kept one only if it continues the kept one and its entries fit.
 * @throws LogUnreadableError, VerifyInputError, Error of node:fs; the kept checkpoint is then unchanged
 */
export async function lookOnce(looking: Looking): Promise<Found> {
  const { trust, log, state } = looking;
  const { note: keptNote, signed: read } = await readKept(state, trust);
  // Every log goes on from the empty one, so that its checkpoint shows nothing.
  const kept = read?.size === 0 ? undefined : read;
  const begun = `${state}${BEGUN}`;
  const hasBegun = existsSync(begun);
  const note = await log.checkpoint();
  const now = await signed(note, trust);
  const found = async (result: Result, text: string, entry?: string): Promise<Found> => {
    const isFork = kept !== undefined && kept.size === now?.size && !equalBytes(kept.root, now.root);
    const both = { checkpoint: note, signedText: now?.text, kept: keptNote };
    const of = { result, text, ...both, isFork, entry, at: looking.now };
    const evidence = await keepEvidence(state, of);
    return 'path' in evidence
      ? { result, text, evidence: evidence.path }
      : { result, text: `${text}; the evidence was not kept (${evidence.why})` };
  };
  if (now === undefined)
    return found('NOT_SIGNED', 'the checkpoint is not of the log and key of the trust file');
  const result = await compare(kept, now, log.hashes);
  const sizes = `${now.size} batches, kept are ${kept?.size ?? 'none'}`;
  if (result === 'BEHIND') return found(result, `the log shows ${sizes}`);
  if (result === 'CONTRADICTION') {
    const place = await written(`${state}.contradiction`, note);
    const where = 'path' in place ? `is in ${place.path}` : `could not be written (${place.why})`;
    const goesOn = `is not shown to go on from the kept log of ${kept?.size ?? 0}`;
    return found(result, `the log of ${now.size} batches ${goesOn}; its checkpoint ${where}`);
  }
  if (now.size === 0)
    return hasBegun
      ? found('BEHIND', `the log shows no batch, and had some at an earlier look (${begun})`)
      : { result: 'EMPTY', text: `${now.origin} has no batch yet: nothing is shown, and nothing is kept` };
  const isLost = kept === undefined && hasBegun;
  const logId = logIdOf(fromHex(trust.publicKey));
  const { hashes, entries } = log;
  const { problem, entry, closedAt, passedOver } = await checkEntries({ kept, now, logId, hashes, entries });
  if (problem !== undefined)
    return found('BAD_ENTRIES', `${problem}; the log has ${sizes}`, entry && toHex(entry));
  await writeWhole(state, await keptNoteOf(now, trust));
  const time = closedAt === undefined ? 'an unknown time' : shownMoment(closedAt);
  const left =
    passedOver === undefined ? '' : `; the headers of batches ${passedOver.join(' to ')} were not looked at`;
  const what = `${now.origin} has ${now.size} batches, the newest of ${time}${left}`;
  if (!hasBegun) await writeWhole(begun, `${new Date(looking.now).toISOString()}\n`);
  if (!isLost)
    return witnessed(looking, now, closedAt, `${what} (${kept ? `${kept.size} before` : FIRST_LOOK})`);
  const { result: seen, text } = await witnessed(looking, now, closedAt, `${what}; ${NOTHING_KEPT}`);
  return { result: seen === 'GOES_ON' ? 'NOTHING_KEPT' : seen, text };
}

function keptNoteOf(checkpoint: SignedCheckpoint, trust: ProofTrust): Promise<string> {
  const { origin: name, publicKey } = trust;
  const policy = policyOfTrust(trust);
  const witnesses = policy === undefined || policy === 'UNUSABLE' ? [] : policy.witnesses;
  const log = { name, type: NOTE_KEY_TYPES.ED25519, publicKey: fromHex(publicKey) };
  const keys = witnesses.map(({ key }) => key);
  return checkedNoteOf(checkpoint, log, keys, verifyEd25519);
}

/** Checks whether the quorum cosigned the checkpoint recently. Without a quorum, the newest batch's time decides. */
async function witnessed(
  { trust, maxAgeSeconds, now: ms }: Looking,
  now: SignedCheckpoint,
  closedAt: number | undefined,
  text: string,
): Promise<Found> {
  const policy = policyOfTrust(trust);
  const [oldest, newest] =
    maxAgeSeconds === undefined
      ? [-Infinity, Infinity]
      : [ms / 1_000 - maxAgeSeconds, ms / 1_000 + COSIGNATURE_CLOCK_SECONDS];
  // A time in the future would otherwise stay fresh for too long.
  const isFresh = (seconds: number): boolean => seconds >= oldest && seconds <= newest;
  const tooOld = (what: string, more = ''): Found => ({
    result: 'TOO_OLD',
    text: `${what} is ${maxAgeSeconds === Infinity ? '' : `older than ${maxAgeSeconds} seconds, or `}ahead of the clock${more}; ${text}`,
  });
  if (policy === undefined || policy === 'UNUSABLE' || policy.quorum === undefined)
    return closedAt !== undefined && !isFresh(closedAt / 1_000)
      ? tooOld('the newest batch')
      : { result: 'GOES_ON', text };
  const { times, impossible, invalid } = await checkWitnesses(policy, now, verifyEd25519, {
    closedAt,
    now: ms,
  });
  const names = [...times.keys(), ...impossible.keys()];
  if (invalid.length > 0 || quorumOf(policy, new Set(names)) === 'MISSING') {
    const wrong = invalid.length === 0 ? '' : `, and what stands for ${invalid.join(', ')} is not signed`;
    const who = names.length === 0 ? 'nobody' : names.join(', ');
    return { result: 'NOT_WITNESSED', text: `cosigned by ${who}${wrong}: not the quorum; ${text}` };
  }
  const fresh = [...times].filter(([, time]) => isFresh(time)).map(([name]) => name);
  return quorumOf(policy, new Set(fresh)) === 'REACHED'
    ? { result: 'GOES_ON', text: `${text}, cosigned by ${fresh.join(', ')}` }
    : tooOld('the quorum of cosignatures', ', or from before its batch');
}

interface Kept {
  readonly note: string | undefined;
  readonly signed: SignedCheckpoint | undefined;
}

/**
 * Reads the kept checkpoint; both members are undefined before the first look.
 * @throws VerifyInputError the file holds no checkpoint of this log
 */
export async function readKept(path: string, trust: ProofTrust): Promise<Kept> {
  let bytes: Uint8Array;
  try {
    bytes = await readUpTo(path, 4 * MAX_CHECKPOINT_LENGTH);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { note: undefined, signed: undefined };
    throw error;
  }
  const note = Buffer.from(bytes).toString('utf8');
  const kept = await signed(note, trust);
  if (kept === undefined) throw new VerifyInputError(`${path} holds no checkpoint of this log`);
  return { note, signed: kept };
}

const signed = (note: string, { origin, publicKey }: ProofTrust): Promise<SignedCheckpoint | undefined> =>
  verifyCheckpoint(note, origin, fromHex(publicKey), verifyEd25519);
