import { sha256Hex } from '#sha256';
import canonicalize from 'canonicalize';
import type { Attributes } from '../schemas/attributes.ts';

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- CommonJS: the module is the function, its declaration says `default`
const serialize = canonicalize as unknown as (value: unknown) => string | undefined;

/** Fields that identify a report; other fields may differ between two deliveries of one report. */
export interface ReportSubstance {
  readonly timestamp: string;
  readonly change: string;
  readonly versions?: readonly { readonly length: number; readonly hash: string }[] | undefined;
  readonly archives?:
    | readonly { readonly name: string; readonly length: number; readonly hash: string }[]
    | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly attributes?: Attributes | undefined;
}

/** RFC 8785 (JSON Canonicalization Scheme). Fields whose value is undefined are left out. @throws TypeError when `value` is not JSON */
export function canonicalJson(value: unknown): string {
  const text = serialize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** Returns the SHA-256, hex, of the canonical JSON of the fields of `ReportSubstance`; absent fields are left out. */
export function reportDigest(report: ReportSubstance): string {
  return sha256Hex(reportSubstanceJson(report));
}

/**
 * Returns `canonicalJson` of the six fields without sorting, because this runs once a report and the key order is known.
 * JSON.stringify writes texts and numbers as RFC 8785 does, omits undefined fields and keeps the given order.
 */
export function reportSubstanceJson(report: ReportSubstance): string {
  const { archives, attributes, change, error, timestamp, versions } = report;
  return JSON.stringify({
    archives: archives?.map(({ hash, length, name }) => ({ hash, length, name })),
    attributes: attributes && sortedAttributes(attributes),
    change,
    error: error && { code: error.code, message: error.message },
    timestamp,
    versions: versions?.map(({ hash, length }) => ({ hash, length })),
  });
}

function sortedAttributes(attributes: Attributes): object {
  const { group, inode, kind, linkTarget, mode, mtime, owner, size, xattrs } = attributes;
  return { group, inode, kind, linkTarget, mode, mtime, owner, size, xattrs };
}
