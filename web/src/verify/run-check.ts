/** Runs the checks of `sentinel verify` and `sentinel receipt` on files chosen in a browser, without network calls. */
import {
  CHECK_EXIT_CODES,
  checkDocument,
  checkReceipt,
  compareContent,
  concludeCheck,
  MAX_REPORT_BYTES,
  printedChecks,
  printedReceipt,
  RECEIPT_EXIT_CODES,
  RECEIPT_LIMITS,
  receiptFrom,
  type CheckConclusion,
  type CheckedDocument,
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

export type NamedDocument = CheckedDocument & { readonly name: string };

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
  readonly checked: readonly NamedDocument[];
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
  const step = async (done: number, total: number): Promise<void> => {
    tools.onProgress({ what: 'Checking the entries', unit: 'entries', done, total });
    await tools.pace.step();
  };
  const checked: NamedDocument[] = [];
  for (const { document, name } of documents) {
    await tools.pace.step();
    const one = await checkDocument(document, trust, { ...options, step }, (entry) =>
      compared(inputs, entry, tools),
    );
    checked.push({ name, ...one });
  }
  const conclusion = concludeCheck(checked);
  const printed = printedChecks(checked, conclusion, FIELD_NAMES);
  return { kind: 'proofs', checked, conclusion, exitCode: CHECK_EXIT_CODES[conclusion.end], trust, printed };
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
