import { sha256 } from '#sha256';
import canonicalize from 'canonicalize';
import { toHex, utf8 } from './bytes.ts';

// The package is CommonJS: its declaration says `default`, its module is the function itself.
const serialize = canonicalize as unknown as (value: unknown) => string | undefined;

/** What the identity of a report rests on: its other fields may differ between two deliveries of one report. */
export interface ReportSubstance {
  readonly timestamp: string;
  readonly change: string;
  readonly versions?: readonly { readonly length: number; readonly hash: string }[] | undefined;
  readonly archives?:
    readonly { readonly name: string; readonly length: number; readonly hash: string }[] | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** RFC 8785 (JSON Canonicalization Scheme). Fields whose value is undefined are left out. @throws TypeError when `value` is not JSON */
export function canonicalJson(value: unknown): string {
  const text = serialize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return text;
}

/** SHA-256, hex, of the canonical JSON of the five fields; absent ones are left out, all others ignored. */
export function reportDigest(report: ReportSubstance): string {
  return toHex(sha256(utf8(reportSubstanceJson(report))));
}

/**
 * `canonicalJson` of the five fields, written out: this runs once a report, and the order of the keys is known.
 * Numbers are finite (lengths); JSON.stringify then writes them, and strings, as RFC 8785 does.
 */
export function reportSubstanceJson(report: ReportSubstance): string {
  const { archives, change, error, timestamp, versions } = report;
  const fields: string[] = [];
  if (archives !== undefined) {
    const items = archives.map(
      ({ hash, length, name }) => `{"hash":${quote(hash)},"length":${quote(length)},"name":${quote(name)}}`,
    );
    fields.push(`"archives":[${items.join(',')}]`);
  }
  fields.push(`"change":${quote(change)}`);
  if (error !== undefined)
    fields.push(`"error":{"code":${quote(error.code)},"message":${quote(error.message)}}`);
  fields.push(`"timestamp":${quote(timestamp)}`);
  if (versions !== undefined) {
    const items = versions.map(({ hash, length }) => `{"hash":${quote(hash)},"length":${quote(length)}}`);
    fields.push(`"versions":[${items.join(',')}]`);
  }
  return `{${fields.join(',')}}`;
}

const quote = (value: string | number): string => JSON.stringify(value);
