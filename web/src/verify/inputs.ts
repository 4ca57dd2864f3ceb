/** The inputs of a check, and the combinations that are allowed. */
import type { InputNames } from '@sentinel-node/contracts';
import { isTypedSeconds } from '../format.ts';
import { FIELD_TEXTS } from './field-texts.ts';

export const FILE_KINDS = [
  'proofs',
  'trust',
  'receipt',
  'report',
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
/** Kinds with several files; two proofs and a bundle need one consistency proof per batch. */
const SEVERAL: readonly FileKind[] = ['proofs', 'consistency'];
export const takesSeveral = (kind: FileKind): boolean => SEVERAL.includes(kind);
/** Kinds of files for the check of a receipt. */
const WITH_RECEIPT: readonly FileKind[] = ['receipt', 'report', 'proofs', 'trust'];
/** Default of the longest wait of an entry for a transaction, in seconds: category STANDARD's. */
export const DEFAULT_INTERVAL = '3600';

/** Files by kind, and typed values. */
export interface CheckInputs {
  readonly files: Readonly<Record<FileKind, readonly File[]>>;
  /** `HEIGHT:HASH[:BITS]`; empty for this software's known block. */
  readonly knownBlock: string;
  readonly intervalSeconds: string;
  /** Required network of the trust file; empty allows any, but one without known rules is not public. */
  readonly network: string;
}

export const NO_INPUTS: CheckInputs = {
  files: {
    proofs: [],
    trust: [],
    receipt: [],
    report: [],
    headers: [],
    seals: [],
    checkpoint: [],
    consistency: [],
    policy: [],
    watched: [],
  },
  knownBlock: '',
  intervalSeconds: DEFAULT_INTERVAL,
  network: '',
};

/** Names of the page's fields, for results and refusals. */
export const FIELD_NAMES: InputNames = {
  headers: 'block headers',
  knownBlock: 'a known block',
  seals: 'the seals',
  checkpoint: 'a checkpoint that you kept',
  policy: 'a policy of witnesses',
};

/**
 * Adds files of a kind; for a kind with one file, they replace the present one. Several stay, and `usageProblem` refuses
 * them: of two kept checkpoints one would be passed over.
 */
export function withFiles(inputs: CheckInputs, kind: FileKind, added: readonly File[]): CheckInputs {
  const kept = takesSeveral(kind) ? [...inputs.files[kind], ...added] : added;
  return { ...inputs, files: { ...inputs.files, [kind]: kept } };
}

export function withoutFile(inputs: CheckInputs, kind: FileKind, file: File): CheckInputs {
  return { ...inputs, files: { ...inputs.files, [kind]: inputs.files[kind].filter((one) => one !== file) } };
}

/** Returns why the check cannot begin, if so, by the rules of `sentinel verify` and `sentinel receipt`. */
export function usageProblem(inputs: CheckInputs): string | undefined {
  const { files, intervalSeconds, knownBlock } = inputs;
  const has = (kind: FileKind): boolean => files[kind].length > 0;
  const doubled = FILE_KINDS.find((kind) => files[kind].length > 1 && !takesSeveral(kind));
  if (doubled !== undefined)
    return `${FIELD_TEXTS[doubled].label}: ${files[doubled].length} files were chosen, and a check looks at one. Remove the others.`;
  if (has('receipt')) return misuseOfReceipt(inputs);
  if (!has('proofs')) return 'Choose the proof.';
  if (has('report')) return 'The report goes with a receipt: choose it too.';
  if (files.proofs.length > MAX_PROOFS) return `Choose ${MAX_PROOFS} proofs at most.`;
  if (!has('trust')) return 'Choose the trust file.';
  if (knownBlock !== '' && !has('headers'))
    return 'The known block goes with block headers: choose them too.';
  if (has('consistency') && !has('checkpoint'))
    return 'The consistency proof goes with a kept checkpoint: choose it too.';
  if (has('watched') && files.proofs.length > 1) return 'The watched file goes with one proof.';
  return isTypedSeconds(intervalSeconds) ? undefined : 'The interval takes seconds.';
}

function misuseOfReceipt({ files, knownBlock, network }: CheckInputs): string | undefined {
  if (files.trust.length === 0) return 'Choose the trust file.';
  if (files.proofs.length > 1) return 'A receipt goes with one proof.';
  const isOther = FILE_KINDS.some((kind) => files[kind].length > 0 && !WITH_RECEIPT.includes(kind));
  if (!isOther && knownBlock === '' && network === '') return undefined;
  return 'A receipt is checked with the trust file, its report and its proof alone. Remove the other files; or remove the receipt, to check the proof.';
}
