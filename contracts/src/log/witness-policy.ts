/** Policies that say which witnesses must cosign (C2SP tlog-policy files). */
import { checkCosignatures, newestOf, type Cosigner } from './cosignature.ts';
import type { SignedCheckpoint } from './checkpoint.ts';
import { equalBytes, utf8 } from '../bytes/bytes.ts';
import type { SignatureCheck } from './signature-check.ts';
import { formatVerifierKey, NOTE_KEY_TYPES, parseVerifierKey, type VerifierKey } from './verifier-key.ts';

export interface PolicyLog {
  readonly key: VerifierKey;
  readonly url: string | undefined;
}

export interface PolicyWitness {
  /** Name in this policy; the key has its own name. */
  readonly name: string;
  readonly key: Cosigner;
  /** Submission prefix (C2SP tlog-witness) without a slash at the end. */
  readonly url: string | undefined;
}

export interface PolicyGroup {
  readonly name: string;
  /** Number of members that must have cosigned. */
  readonly threshold: number;
  /** Names of witnesses, and of groups defined before this one. */
  readonly members: readonly string[];
}

export interface WitnessPolicy {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  readonly groups: readonly PolicyGroup[];
  /** Name of a witness or group; undefined for `none`: no cosignature is required. */
  readonly quorum: string | undefined;
}

/** Limits of one policy. The lines of all witnesses together fit into a note. */
export const POLICY_LIMITS = { bytes: 65_536, logs: 32, witnesses: 32, groups: 32 } as const;

/** Fault of a policy file. `line` counts from 1; 0 stands for the whole file. */
export interface PolicyProblem {
  readonly line: number;
  readonly problem: string;
}

const MS = 1_000;
const NONE = 'none';
const ALLOWED = /^(?:[\t\n]|[^\p{Cc}\p{Cs}])*$/u;

/** Returns the policy, or its first fault. @param text UTF-8, decoded without replacement */
export function parsePolicy(text: string): { readonly policy: WitnessPolicy } | PolicyProblem {
  if (utf8(text).length > POLICY_LIMITS.bytes) return whole(`is larger than ${POLICY_LIMITS.bytes} bytes`);
  if (!text.endsWith('\n')) return whole('does not end with a newline: it may have been cut off');
  if (!ALLOWED.test(text))
    return whole('has a control character other than tab and newline, or half a character');
  const reader = new PolicyReader();
  for (const [at, line] of text.slice(0, -1).split('\n').entries()) {
    const items = line.split(/[ \t]+/).filter((item) => item !== '');
    if (items.length === 0 || items[0]!.startsWith('#')) continue;
    const problem = reader.take(items);
    if (problem !== undefined) return { line: at + 1, problem };
  }
  return reader.finished();
}

const whole = (problem: string): PolicyProblem => ({ line: 0, problem });

/** Reads the lines in order. Methods return the fault, or undefined. */
class PolicyReader {
  readonly #logs: PolicyLog[] = [];
  readonly #witnesses: PolicyWitness[] = [];
  readonly #groups: PolicyGroup[] = [];
  readonly #names = new Set<string>([NONE]);
  readonly #members = new Set<string>();
  #quorum: string | undefined;

  take([keyword, ...items]: readonly string[]): string | undefined {
    if (keyword === 'log') return this.#log(items);
    if (keyword === 'witness') return this.#witness(items);
    if (keyword === 'group') return this.#group(items);
    if (keyword === 'quorum') return this.#setQuorum(items);
    return `"${keyword}" is none of log, witness, group, quorum`;
  }

  finished(): { readonly policy: WitnessPolicy } | PolicyProblem {
    if (this.#quorum === undefined) return whole('has no quorum line');
    const quorum = this.#quorum === NONE ? undefined : this.#quorum;
    return { policy: { logs: this.#logs, witnesses: this.#witnesses, groups: this.#groups, quorum } };
  }

  #log([vkey, url, ...more]: readonly string[]): string | undefined {
    if (vkey === undefined || more.length > 0) return 'a log is: log VKEY [URL]';
    const key = parseVerifierKey(vkey);
    if (key?.type !== NOTE_KEY_TYPES.ED25519) return 'the vkey is not of a log (Ed25519, type 1)';
    if (isAmong(key, this.#logs)) return 'the log is there twice';
    if (isAmong(key, this.#witnesses)) return 'the key of the log is one of a witness too';
    if (url !== undefined && !isAddress(url)) return 'the URL is not one of http or https';
    if (this.#logs.length === POLICY_LIMITS.logs) return `more than ${POLICY_LIMITS.logs} logs`;
    this.#logs.push({ key, url: withoutSlash(url) });
    return undefined;
  }

  #witness([name, vkey, url, ...more]: readonly string[]): string | undefined {
    if (name === undefined || vkey === undefined || more.length > 0)
      return 'a witness is: witness NAME VKEY [URL]';
    const key = parseVerifierKey(vkey);
    if (key?.type !== NOTE_KEY_TYPES.COSIGNATURE)
      return 'the vkey is not of a witness whose cosignatures are supported (Ed25519 with time, type 4)';
    if (isAmong(key, this.#witnesses)) return 'the key of the witness is there twice';
    if (isAmong(key, this.#logs)) return 'the key of the witness is one of a log too';
    if (url !== undefined && !isAddress(url)) return 'the URL is not one of http or https';
    if (this.#witnesses.length === POLICY_LIMITS.witnesses)
      return `more than ${POLICY_LIMITS.witnesses} witnesses`;
    const taken = this.#name(name);
    if (taken !== undefined) return taken;
    this.#witnesses.push({ name, key: { ...key, type: key.type }, url: withoutSlash(url) });
    return undefined;
  }

  #group([name, count, ...members]: readonly string[]): string | undefined {
    if (name === undefined || count === undefined || members.length === 0)
      return 'a group is: group NAME all|any|NUMBER NAME…';
    const threshold = thresholdOf(count, members.length);
    if (threshold === undefined) return `"${count}" is not all, any, or a number of 1 to ${members.length}`;
    if (this.#groups.length === POLICY_LIMITS.groups) return `more than ${POLICY_LIMITS.groups} groups`;
    for (const member of members) {
      if (member === NONE || !this.#names.has(member)) return `"${member}" is not defined before`;
      if (this.#members.has(member)) return `"${member}" is a member already`;
      this.#members.add(member);
    }
    const taken = this.#name(name);
    if (taken !== undefined) return taken;
    this.#groups.push({ name, threshold, members });
    return undefined;
  }

  #setQuorum([name, ...more]: readonly string[]): string | undefined {
    if (name === undefined || more.length > 0) return 'a quorum is: quorum NAME, or quorum none';
    if (this.#quorum !== undefined) return 'there is a quorum already';
    if (!this.#names.has(name)) return `"${name}" is not defined before`;
    this.#quorum = name;
    return undefined;
  }

  #name(name: string): string | undefined {
    if (this.#names.has(name)) return `the name "${name}" is taken`;
    this.#names.add(name);
    return undefined;
  }
}

function thresholdOf(count: string, members: number): number | undefined {
  if (count === 'all') return members;
  if (count === 'any') return 1;
  return /^[1-9]\d{0,3}$/.test(count) && Number(count) <= members ? Number(count) : undefined;
}

const isAmong = (key: VerifierKey, known: readonly { readonly key: VerifierKey }[]): boolean =>
  known.some((other) => equalBytes(other.key.publicKey, key.publicKey));

function isAddress(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

const withoutSlash = (url: string | undefined): string | undefined => url?.replace(/\/+$/, '');

/** Returns the shortest text of the policy that `parsePolicy` accepts. */
export function formatPolicy({ logs, witnesses, groups, quorum }: WitnessPolicy): string {
  const lines = [
    ...logs.map(({ key, url }) => ['log', formatVerifierKey(key), url]),
    ...witnesses.map(({ name, key, url }) => ['witness', name, formatVerifierKey(key), url]),
    ...groups.map(({ name, threshold, members }) => ['group', name, String(threshold), ...members]),
    ['quorum', quorum ?? NONE],
  ];
  return lines.map((items) => `${items.filter((item) => item !== undefined).join(' ')}\n`).join('');
}

/**
 * Returns why the policy cannot be used for the log; undefined when it can: it names this log, or no log, and the log is not
 * a witness of itself.
 */
export function misfitOf(
  { logs, witnesses }: WitnessPolicy,
  origin: string,
  publicKey: Uint8Array,
): string | undefined {
  const isOwn = (key: VerifierKey): boolean => equalBytes(key.publicKey, publicKey);
  if (logs.length > 0 && !logs.some(({ key }) => key.name === origin && isOwn(key)))
    return 'has log lines, and none is of this log';
  const itself = witnesses.find(({ key }) => isOwn(key));
  return itself && `the witness ${itself.name} has the key of the log itself`;
}

/** How far the clocks of witness, operator and checker may be apart, in seconds. */
export const COSIGNATURE_CLOCK_SECONDS = 600;

/** Between these a cosignature can have been made. Milliseconds since 1970. */
export interface CosignatureSpan {
  /** When a batch of the checkpoint was closed; undefined when none is known. */
  readonly closedAt: number | undefined;
  /** Time of the checker. */
  readonly now: number;
}

/**
 * Returns whether a witness can have cosigned at this time: not before a batch of the checkpoint was closed, and not after
 * the check, give or take `COSIGNATURE_CLOCK_SECONDS`. C2SP tlog-cosignature leaves the judgement of times to the verifier.
 * @param seconds since 1970
 */
export function isPossibleTime(seconds: number, { closedAt = -Infinity, now }: CosignatureSpan): boolean {
  return (
    seconds >= closedAt / MS - COSIGNATURE_CLOCK_SECONDS && seconds <= now / MS + COSIGNATURE_CLOCK_SECONDS
  );
}

export interface Witnessed {
  /** Time of the newest cosignature with a possible time, by witness of the policy, in seconds since 1970. */
  readonly times: ReadonlyMap<string, number>;
  /** Witnesses of which every cosignature has an impossible time, with the newest: they do not count. */
  readonly impossible: ReadonlyMap<string, number>;
  /** Witnesses with a line that their key did not sign. */
  readonly invalid: readonly string[];
}

/** Checks the cosignatures of the policy's witnesses. Ignores the lines of others. */
export async function checkWitnesses(
  { witnesses }: WitnessPolicy,
  checkpoint: Pick<SignedCheckpoint, 'text' | 'signatures'>,
  verify: SignatureCheck,
  span: CosignatureSpan,
): Promise<Witnessed> {
  const times = new Map<string, number>();
  const impossible = new Map<string, number>();
  const invalid: string[] = [];
  for (const { name, key } of witnesses) {
    const found = await checkCosignatures(checkpoint, key, verify);
    if (found === 'INVALID') {
      invalid.push(name);
      continue;
    }
    const possible = newestOf(found.filter(({ time }) => isPossibleTime(time, span)));
    const newest = newestOf(found);
    if (possible !== undefined) times.set(name, possible.time);
    else if (newest !== undefined) impossible.set(name, newest.time);
  }
  return { times, impossible, invalid };
}

/** `NONE`: the policy requires no cosignature, so cosignatures prove nothing. */
export type Quorum = 'REACHED' | 'MISSING' | 'NONE';

/** Returns whether enough witnesses cosigned for the policy. @param cosigned names of witnesses */
export function quorumOf({ groups, quorum }: WitnessPolicy, cosigned: ReadonlySet<string>): Quorum {
  if (quorum === undefined) return 'NONE';
  const reached = new Set(cosigned);
  // Members are defined before their group.
  for (const { name, threshold, members } of groups)
    if (members.filter((member) => reached.has(member)).length >= threshold) reached.add(name);
  return reached.has(quorum) ? 'REACHED' : 'MISSING';
}
