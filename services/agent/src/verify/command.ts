import { parseArgs } from 'node:util';
import { checkProof, type ProofOutcome } from '@sentinel-node/contracts';
import { verifyEd25519 } from './ed25519.ts';
import { compareFile } from './compare-file.ts';
import { readHeaders, readProofFile, readTrust, VerifyInputError } from './inputs.ts';
import { printed } from './print.ts';

const HELP = `usage: sentinel verify PROOF --trust FILE [--headers FILE --after HEIGHT:HASH:BITS]
                       [--file FILE] [--interval SECONDS] [--json]

Checks a proof that the console or the API gave, offline, and says what holds, what fails and what is only claimed.

  PROOF             the proof document (JSON)
  --trust FILE      the trust file of the log, from its operator and not from where the proof came from: sentinel trust
  --headers FILE    block headers, bare and consecutive, 80 bytes each, from a source of your own
  --after H:H:B     the block that the first of them follows: height, hash as explorers show it, bits (hex)
  --file FILE       compares the content of a file with what the entry says
  --interval SECS   how long an entry of its category may wait for a transaction (default: 3600, STANDARD)
  --json            the result as JSON
  --help            this text

Exit code 0: it holds, by the headers given; 1: it fails, or an input is unusable; 2: wrong usage;
3: NOT PUBLIC, of a development ledger, which whoever runs it can forge; 4: not complete yet; 5: nothing but the block is
missing: no headers were given, and those in the proof prove nothing.
`;

const EXIT_CODES: Readonly<Record<ProofOutcome, number>> = {
  HOLDS: 0,
  FAILS: 1,
  NOT_PUBLIC: 3,
  INCOMPLETE: 4,
  SELF_SUPPLIED: 5,
};
const WRONG_USAGE = 2;
const DEFAULT_INTERVAL = '3600';

const OPTIONS = {
  trust: { type: 'string' },
  headers: { type: 'string' },
  after: { type: 'string' },
  file: { type: 'string' },
  interval: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Runs `sentinel verify`. @returns the exit code */
export async function runVerify(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const [proofFile, ...more] = positionals;
  const { trust: trustFile, interval = DEFAULT_INTERVAL } = values;
  if (proofFile === undefined || more.length > 0) return wrongUsage('give one proof');
  if (trustFile === undefined) return wrongUsage('--trust is missing');
  if ((values.headers === undefined) !== (values.after === undefined))
    return wrongUsage('--headers and --after go together');
  if (!/^[1-9]\d{0,8}$/.test(interval)) return wrongUsage('--interval takes seconds');
  try {
    const trust = await readTrust(trustFile);
    const headers =
      values.headers === undefined
        ? undefined
        : await readHeaders(values.headers, values.after ?? '', trust.network);
    const verdict = await checkProof(await readProofFile(proofFile), trust, {
      verifySignature: verifyEd25519,
      intervalMs: Number(interval) * 1_000,
      ...(headers !== undefined && { headers }),
    });
    const file = values.file === undefined ? undefined : await compareFile(values.file, verdict.proof?.entry);
    process.stdout.write(printed(verdict, file, values.json === true));
    return file?.isSame === false ? EXIT_CODES.FAILS : EXIT_CODES[verdict.outcome];
  } catch (error) {
    if (!(error instanceof VerifyInputError)) throw error;
    process.stderr.write(`sentinel verify: ${error.message}\n`);
    return 1;
  }
}

function wrongUsage(what: string): number {
  process.stderr.write(`sentinel verify: ${what}\n\n${HELP}`);
  return WRONG_USAGE;
}
