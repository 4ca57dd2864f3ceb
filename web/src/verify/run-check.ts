/** Runs the checks of `sentinel verify` and `sentinel receipt` on files chosen in a browser, without network calls. */
import {
  CHECK_EXIT_CODES,
  checkBundle,
  checkProof,
  checkReceipt,
  compareContent,
  concludeCheck,
  isBundle,
  MAX_REPORT_BYTES,
  newestContent,
  printedChecks,
  printedReceipt,
  RECEIPT_EXIT_CODES,
  RECEIPT_LIMITS,
  receiptFrom,
  type CheckConclusion,
  type CheckedBundle,
  type CheckedProof,
  type CheckedReceipt,
  type FileComparison,
  type ProofCheckOptions,
  type ProofEntry,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { verifyEd25519 } from './ed25519.ts';
import { FIELD_NAMES, type CheckInputs } from './inputs.ts';
import { hashStart, only, optionsOf, read, readTrust, type CheckTools } from './read-inputs.ts';
import { readUpTo } from './read-file.ts';

/** A checked document with its file's name. */
interface Document {
  readonly name: string;
  readonly document: Uint8Array;
}

export type NamedProof = CheckedProof & { readonly name: string };
export type NamedBundle = CheckedBundle & { readonly name: string };

interface Report {
  /** Exit code that the command would return. */
  readonly exitCode: number;
  readonly trust: ProofTrust;
  /** The command's output. */
  readonly printed: string;
}
/** Of proofs, bundles, or both. */
export interface ProofsReport extends Report {
  readonly kind: 'proofs';
  readonly checked: readonly (NamedProof | NamedBundle)[];
  readonly conclusion: CheckConclusion;
}
export interface ReceiptReport extends Report {
  readonly kind: 'receipt';
  readonly name: string;
  readonly checked: CheckedReceipt;
}
export type CheckReport = ProofsReport | ReceiptReport;

/**
 * Runs a check.
 * @param inputs without `usageProblem`
 * @throws VerifyInputError when an input other than a proof cannot be used; the error of `tools.pace` when the check is ended
 */
export async function runCheck(inputs: CheckInputs, tools: CheckTools): Promise<CheckReport> {
  const trust = await readTrust(inputs);
  const receipt = only(inputs, 'receipt');
  // Read with the larger limit of a bundle; the check judges both.
  const documents = await Promise.all(
    inputs.files.proofs.map(async (file) => ({ name: file.name, document: await read(file, 'bundle') })),
  );
  if (receipt !== undefined) return receiptReport(receipt, documents[0], trust, inputs, tools);
  return proofsReport(documents, trust, inputs, tools);
}

async function proofsReport(
  documents: readonly Document[],
  trust: ProofTrust,
  inputs: CheckInputs,
  tools: CheckTools,
): Promise<ProofsReport> {
  const options = await optionsOf(inputs, trust, tools);
  const checked: (NamedProof | NamedBundle)[] = [];
  for (const one of documents) {
    await tools.pace.step();
    checked.push(
      isBundle(one.document)
        ? await bundleCheck(one, trust, options, inputs, tools)
        : await proofCheck(one, trust, options, inputs, tools),
    );
  }
  const conclusion = concludeCheck(checked);
  const printed = printedChecks(checked, conclusion, FIELD_NAMES);
  return { kind: 'proofs', checked, conclusion, exitCode: CHECK_EXIT_CODES[conclusion.end], trust, printed };
}

async function proofCheck(
  { document, name }: Document,
  trust: ProofTrust,
  options: ProofCheckOptions,
  inputs: CheckInputs,
  tools: CheckTools,
): Promise<NamedProof> {
  const verdict = await checkProof(document, trust, options);
  const file = await compared(inputs, verdict.proof?.entry, tools);
  return { name, verdict, file, headers: options.headers };
}

async function bundleCheck(
  { document, name }: Document,
  trust: ProofTrust,
  options: ProofCheckOptions,
  inputs: CheckInputs,
  tools: CheckTools,
): Promise<NamedBundle> {
  const step = async (done: number, total: number): Promise<void> => {
    tools.onProgress({ what: 'Checking the entries', unit: 'entries', done, total });
    await tools.pace.step();
  };
  const verdict = await checkBundle(document, trust, { ...options, step });
  const file = await compared(inputs, newestContent(verdict), tools);
  return { name, verdict, file, headers: options.headers };
}

async function receiptReport(
  file: File,
  proof: Document | undefined,
  trust: ProofTrust,
  inputs: CheckInputs,
  { pace }: CheckTools,
): Promise<ReceiptReport> {
  const kept = receiptFrom(file.name, await readUpTo(file, RECEIPT_LIMITS.documentBytes + 1));
  const report = only(inputs, 'report');
  await pace.step();
  const checked = await checkReceipt(kept, trust, {
    verifySignature: verifyEd25519,
    now: Date.now(),
    ...(report !== undefined && { report: await readUpTo(report, MAX_REPORT_BYTES + 1) }),
    ...(proof !== undefined && { proof }),
  });
  const exitCode = RECEIPT_EXIT_CODES[checked.outcome];
  return { kind: 'receipt', name: file.name, checked, exitCode, trust, printed: printedReceipt(checked) };
}

async function compared(
  inputs: CheckInputs,
  entry: Pick<ProofEntry, 'length' | 'contentHash'> | undefined,
  tools: CheckTools,
): Promise<FileComparison | undefined> {
  const file = only(inputs, 'watched');
  if (file === undefined) return undefined;
  return compareContent(file.name, entry, (length) => hashStart(file, length, tools));
}
