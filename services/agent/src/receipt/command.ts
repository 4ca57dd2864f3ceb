import { parseArgs } from 'node:util';
import {
  checkProof,
  fromHex,
  KeptReceiptSchema,
  logIdOf,
  readStrictJson,
  RECEIPT_LIMITS,
  sha256,
  toHex,
  verifyReceipt,
  type KeptReceipt,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { judgePromise } from '../domain/promise.ts';
import { verifyEd25519 } from '../verify/ed25519.ts';
import { readProofFile, readTrust, VerifyInputError } from '../verify/inputs.ts';
import { readUpTo } from '../verify/read-input.ts';

const HELP = `usage: sentinel receipt RECEIPT --trust FILE [--report FILE] [--proof FILE] [--json]

Checks offline the receipt of a report: that the operator of the log signed to have accepted this report at this time.

  RECEIPT           the receipt (docs/formats.md, "Receipt"): a line of receipts.ndjson, or a file broken-promise-….json,
                    in the folder "receipts" of an agent's state folder
  --trust FILE      the trust file of the log, from its operator and not from where the receipt came from: sentinel trust
  --report FILE     the report as it was sent: compares its SHA-256 with that in the receipt
  --proof FILE      what the server shows for it now (POST /api/v1/proofs/receipt, or a proof from the console): compares
                    it with what the receipt promises. Whether the proof holds in all is for sentinel verify
  --json            the result as JSON
  --help            this text

Every FILE can be a pipe. Exit codes:
  0  HOLDS: signed by the log's key, and what was given beside it fits
  1  FAILS: not signed by the log's key, or of another report; or an input is unusable
  2  wrong usage
  3  BROKEN PROMISE: the receipt holds, and the proof contradicts it
`;

const FAILS = 1;
const WRONG_USAGE = 2;
const BROKEN = 3;
/** A report has at most as many bytes as one line of a bulk body. */
const MAX_REPORT_BYTES = 1_048_576;

const OPTIONS = {
  trust: { type: 'string' },
  report: { type: 'string' },
  proof: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Found {
  readonly outcome: 'HOLDS' | 'FAILS' | 'BROKEN PROMISE';
  readonly why: string | null;
  readonly fileId: string;
  readonly reportHash: string;
  readonly acceptedAt: string;
}

/** Runs `sentinel receipt`. @returns the exit code */
export async function runReceipt(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const [path, ...others] = positionals;
  const { proof, report, trust } = values;
  if (path === undefined || others.length > 0) return misused('give one receipt');
  if (trust === undefined) return misused('--trust is missing');
  try {
    const found = await check(await readReceipt(path), await readTrust(trust), { proof, report });
    process.stdout.write(values.json === true ? `${JSON.stringify(found)}\n` : words(found));
    return { HOLDS: 0, FAILS, 'BROKEN PROMISE': BROKEN }[found.outcome];
  } catch (error) {
    if (!(error instanceof VerifyInputError)) throw error;
    process.stderr.write(`sentinel receipt: ${error.message}\n`);
    return FAILS;
  }
}

function misused(wrong: string): number {
  process.stderr.write(`sentinel receipt: ${wrong}\n\n${HELP}`);
  return WRONG_USAGE;
}

/** @throws VerifyInputError */
async function readReceipt(path: string): Promise<KeptReceipt> {
  const bytes = await readUpTo(path, RECEIPT_LIMITS.documentBytes + 1);
  const read = readStrictJson(bytes, KeptReceiptSchema, RECEIPT_LIMITS);
  if ('value' in read) return read.value;
  throw new VerifyInputError(
    `${path} is no receipt: {"format", "fileId", "reportHash", "receipt"} (${read.problem})`,
  );
}

async function check(
  kept: KeptReceipt,
  trust: ProofTrust,
  given: { readonly proof: string | undefined; readonly report: string | undefined },
): Promise<Found> {
  const { fileId, receipt, reportHash } = kept;
  const acceptedAt = new Date(receipt.acceptedAt).toISOString();
  const tell = (outcome: Found['outcome'], why: string | null): Found => {
    return { outcome, why, fileId, reportHash, acceptedAt };
  };
  const publicKey = fromHex(trust.publicKey);
  if (!(await verifyReceipt(kept, { logId: logIdOf(publicKey), publicKey }, verifyEd25519)))
    return tell('FAILS', 'the key of the trust file did not sign it');
  if (given.report !== undefined) {
    const bytes = await readUpTo(given.report, MAX_REPORT_BYTES + 1);
    if (toHex(sha256(bytes)) !== reportHash) return tell('FAILS', 'it is of another report');
  }
  const broken = given.proof === undefined ? null : await contradiction(kept, trust, given.proof);
  return broken === null ? tell('HOLDS', null) : tell('BROKEN PROMISE', broken);
}

/** How the proof contradicts the receipt; null: it does not. @throws VerifyInputError a document that is no proof */
async function contradiction(kept: KeptReceipt, trust: ProofTrust, path: string): Promise<string | null> {
  const { outcome, proof } = await checkProof(await readProofFile(path), trust, {
    verifySignature: verifyEd25519,
  });
  if (proof === undefined) throw new VerifyInputError(`${path} is no proof`);
  const { fileId, receipt, reportHash } = kept;
  const judged = judgePromise({ fileId, reportHash, acceptedAt: receipt.acceptedAt }, proof, Date.now());
  if (judged.state === 'broken') return judged.why;
  return outcome === 'FAILS' ? 'the proof does not hold: sentinel verify says why' : null;
}

function words({ acceptedAt, fileId, outcome, reportHash, why }: Found): string {
  return [
    why === null ? outcome : `${outcome}: ${why}`,
    `  file      ${fileId}`,
    `  report    SHA-256 ${reportHash}`,
    `  accepted  ${acceptedAt}`,
    '',
  ].join('\n');
}
