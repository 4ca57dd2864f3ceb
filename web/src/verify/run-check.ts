/** Runs the checks of `sentinel verify` and `sentinel receipt` on files chosen in a browser, without network calls. */
import {
  CHECK_EXIT_CODES,
  checkBundle,
  checkProof,
  checkReceipt,
  compareContent,
  concludeCheck,
  endOf,
  isBundle,
  MAX_REPORT_BYTES,
  newestContent,
  printedBundle,
  printedChecks,
  printedReceipt,
  RECEIPT_EXIT_CODES,
  RECEIPT_LIMITS,
  receiptFrom,
  VerifyInputError,
  type CheckConclusion,
  type CheckedBundle,
  type CheckedProof,
  type CheckedReceipt,
  type FileComparison,
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

export type NamedCheck = CheckedProof & { readonly name: string };

interface Report {
  /** Exit code that the command would return. */
  readonly exitCode: number;
  readonly trust: ProofTrust;
  /** The command's output. */
  readonly printed: string;
}
export interface ProofsReport extends Report {
  readonly kind: 'proofs';
  readonly checked: readonly NamedCheck[];
  readonly conclusion: CheckConclusion;
}
export interface BundleReport extends Report {
  readonly kind: 'bundle';
  readonly name: string;
  readonly checked: CheckedBundle;
}
export interface ReceiptReport extends Report {
  readonly kind: 'receipt';
  readonly name: string;
  readonly checked: CheckedReceipt;
}
export type CheckReport = ProofsReport | BundleReport | ReceiptReport;

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
  const bundle = documents.find(({ document }) => isBundle(document));
  if (bundle !== undefined) return bundleReport(bundle, documents.length, trust, inputs, tools);
  return proofsReport(documents, trust, inputs, tools);
}

async function proofsReport(
  documents: readonly Document[],
  trust: ProofTrust,
  inputs: CheckInputs,
  tools: CheckTools,
): Promise<ProofsReport> {
  const options = await optionsOf(inputs, trust, tools);
  const checked: NamedCheck[] = [];
  for (const { name, document } of documents) {
    await tools.pace.step();
    const verdict = await checkProof(document, trust, options);
    const file = await compared(inputs, verdict.proof?.entry, tools);
    checked.push({ name, verdict, file, headers: options.headers });
  }
  const conclusion = concludeCheck(checked);
  const printed = printedChecks(checked, conclusion, FIELD_NAMES);
  return { kind: 'proofs', checked, conclusion, exitCode: CHECK_EXIT_CODES[conclusion.end], trust, printed };
}

async function bundleReport(
  { document, name }: Document,
  documents: number,
  trust: ProofTrust,
  inputs: CheckInputs,
  tools: CheckTools,
): Promise<BundleReport> {
  if (documents > 1)
    throw new VerifyInputError(`${name} is a bundle, which is checked alone: remove the other proofs.`);
  const options = await optionsOf(inputs, trust, tools);
  const step = async (done: number, total: number): Promise<void> => {
    tools.onProgress({ what: 'Checking the entries', unit: 'entries', done, total });
    await tools.pace.step();
  };
  const verdict = await checkBundle(document, trust, { ...options, step });
  const file = await compared(inputs, newestContent(verdict), tools);
  const checked = { verdict, file, headers: options.headers };
  const printed = printedBundle(checked, FIELD_NAMES);
  return { kind: 'bundle', name, checked, exitCode: CHECK_EXIT_CODES[endOf(checked)], trust, printed };
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
