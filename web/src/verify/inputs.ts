/** The inputs of a check, and the combinations that are allowed. */
import type { InputNames } from '@sentinel-node/contracts';

export const FILE_KINDS = [
  'proofs',
  'trust',
  'headers',
  'seals',
  'checkpoint',
  'consistency',
  'policy',
  'watched',
] as const;
export type FileKind = (typeof FILE_KINDS)[number];

/** The most proofs of a check, because every pair of proofs is compared. */
export const MAX_PROOFS = 8;
/** How long an entry may wait for a transaction, in seconds, unless the person says otherwise: STANDARD's. */
export const DEFAULT_INTERVAL = '3600';

/** Files by kind, and typed values. There can be several proofs; of every other kind there is one file at most. */
export interface CheckInputs {
  readonly files: Readonly<Record<FileKind, readonly File[]>>;
  /** `HEIGHT:HASH[:BITS]`; empty: the block that this software knows. */
  readonly knownBlock: string;
  readonly intervalSeconds: string;
}

export const NO_INPUTS: CheckInputs = {
  files: {
    proofs: [],
    trust: [],
    headers: [],
    seals: [],
    checkpoint: [],
    consistency: [],
    policy: [],
    watched: [],
  },
  knownBlock: '',
  intervalSeconds: DEFAULT_INTERVAL,
};

/** The page's names of its fields, for outcomes and refusals. */
export const FIELD_NAMES: InputNames = {
  headers: 'block headers',
  knownBlock: 'a known block',
  seals: 'the seals',
  checkpoint: 'a checkpoint that you kept',
  policy: 'a policy of witnesses',
};

/** Adds a file: a further proof joins the earlier proofs; any other file replaces the earlier file of its kind. */
export function withFiles(inputs: CheckInputs, kind: FileKind, added: readonly File[]): CheckInputs {
  const before = kind === 'proofs' ? inputs.files.proofs : [];
  const kept = kind === 'proofs' ? [...before, ...added] : added.slice(-1);
  return { ...inputs, files: { ...inputs.files, [kind]: kept } };
}

export function withoutFile(inputs: CheckInputs, kind: FileKind, file: File): CheckInputs {
  return { ...inputs, files: { ...inputs.files, [kind]: inputs.files[kind].filter((one) => one !== file) } };
}

/** The reason why the check cannot begin; undefined: it can begin. The rules are those of `sentinel verify`. */
export function misuse({ files, intervalSeconds, knownBlock }: CheckInputs): string | undefined {
  const has = (kind: FileKind): boolean => files[kind].length > 0;
  if (!has('proofs')) return 'Choose the proof.';
  if (files.proofs.length > MAX_PROOFS) return `Choose ${MAX_PROOFS} proofs at most.`;
  if (!has('trust')) return 'Choose the trust file.';
  if (knownBlock !== '' && !has('headers'))
    return 'The known block goes with block headers: choose them too.';
  if (has('consistency') && !has('checkpoint'))
    return 'The consistency proof goes with a kept checkpoint: choose it too.';
  if (has('watched') && files.proofs.length > 1) return 'The watched file goes with one proof.';
  return /^[1-9]\d{0,8}$/.test(intervalSeconds) ? undefined : 'The interval takes seconds.';
}
