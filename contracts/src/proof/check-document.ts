/** Checks a document that is a proof or a bundle, by what it claims to be. */
import { isBundle } from './bundle.ts';
import { newestContent, type CheckedBundle } from './bundle-report.ts';
import { checkBundle, type BundleCheckOptions } from './check-bundle.ts';
import { checkProof } from './check.ts';
import type { FileComparison } from './content.ts';
import type { ProofEntry, ProofTrust } from './proof.ts';
import type { CheckedProof, CheckSubject } from './report.ts';

export type CheckedDocument = CheckedProof | CheckedBundle;

/** Returns true for a bundle. */
export const isCheckedBundle = (checked: CheckedDocument): checked is CheckedBundle =>
  'proofs' in checked.verdict;

/** Returns what the end of a document is about. */
export const subjectOf = (checked: CheckedDocument): CheckSubject =>
  isCheckedBundle(checked) ? 'every entry' : 'the entry';

/** Compares a file with what an entry says of the content; undefined when there is no file to compare. */
export type ContentCheck = (
  entry: Pick<ProofEntry, 'length' | 'contentHash'> | undefined,
) => Promise<FileComparison | undefined>;

/**
 * Checks a proof or a bundle.
 * @param document as received, UTF-8
 * @param trust from a source other than the document
 * @param compare called with the entry of a proof, or with the newest entry of a bundle that says a content
 */
export async function checkDocument(
  document: Uint8Array,
  trust: ProofTrust,
  options: BundleCheckOptions,
  compare: ContentCheck,
): Promise<CheckedDocument> {
  const { headers } = options;
  if (isBundle(document)) {
    const verdict = await checkBundle(document, trust, options);
    return { verdict, file: await compare(newestContent(verdict)), headers };
  }
  const verdict = await checkProof(document, trust, options);
  return { verdict, file: await compare(verdict.proof?.entry), headers };
}
