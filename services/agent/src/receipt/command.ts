import {
  checkReceipt,
  MAX_REPORT_BYTES,
  printedReceipt,
  RECEIPT_EXIT_CODES,
  RECEIPT_LIMITS,
  receiptFrom,
  type CheckedReceipt,
} from '@sentinel-node/contracts';
import { misuseOf, parseOptions } from '../arguments.ts';
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
  0  HOLDS: signed by the log's key, and what was given beside it fits. Without --proof this does not say that the report is in
     the chain, and the last line says so
  1  FAILS: not signed by the log's key, or of another report; the proof does not hold, or is of another report; or an
     input is unusable. NOT SHOWN: the receipt holds, and the proof has no batch. Anybody can make such a proof, which shows
     nothing: ask the server again, and keep what it answers; 26 h after the receipt there has to be a batch. Also NOT SHOWN:
     the receipt is signed for a time more than ten minutes ahead of the clock of this machine
  2  wrong usage
  3  BROKEN PROMISE: the receipt holds, and by the proof the log signed a later time of acceptance (by more than a minute)
`;

const misused = misuseOf('sentinel receipt', HELP);

const OPTIONS = {
  trust: { type: 'string' },
  report: { type: 'string' },
  proof: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Runs `sentinel receipt`. @returns the exit code */
export async function runReceipt(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const [path, ...others] = positionals;
  const { proof, report, trust } = values;
  if (path === undefined || others.length > 0) return misused('give one receipt');
  if (trust === undefined) return misused('--trust is missing');
  try {
    const found = await check(path, { trust, proof, report });
    process.stdout.write(values.json === true ? `${JSON.stringify(found)}\n` : printedReceipt(found));
    return RECEIPT_EXIT_CODES[found.outcome];
  } catch (error) {
    if (!(error instanceof VerifyInputError)) throw error;
    process.stderr.write(`sentinel receipt: ${error.message}\n`);
    return RECEIPT_EXIT_CODES.FAILS;
  }
}

interface Given {
  readonly trust: string;
  readonly proof: string | undefined;
  readonly report: string | undefined;
}

/** Checks a receipt. Reads one byte above each limit, so that a too large file is noticed. @throws VerifyInputError */
async function check(path: string, { trust, proof, report }: Given): Promise<CheckedReceipt> {
  const kept = receiptFrom(path, await readUpTo(path, RECEIPT_LIMITS.documentBytes + 1));
  return checkReceipt(kept, await readTrust(trust), {
    verifySignature: verifyEd25519,
    now: Date.now(),
    ...(report !== undefined && { report: await readUpTo(report, MAX_REPORT_BYTES + 1) }),
    ...(proof !== undefined && { proof: { name: proof, document: await readProofFile(proof) } }),
  });
}
