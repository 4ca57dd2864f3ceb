import {
  CHECK_EXIT_CODES,
  checkDocument,
  compareContent,
  concludeCheck,
  ownNetworkOf,
  printedChecks,
  type CheckedDocument,
  type Consistency,
  type FileComparison,
  type OneLogEvidence,
  type ProofCheckOptions,
  type ProofEntry,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { misuseOf, parseOptions } from '../arguments.ts';
import { verifyEd25519 } from './ed25519.ts';
import { hashStart } from './hash-start.ts';
import {
  OPTION_NAMES,
  readConsistency,
  readHeaders,
  readNote,
  readProofFile,
  readSeals,
  readTrust,
  VerifyInputError,
} from './inputs.ts';
import { conclusionAsJson } from './print.ts';

const HELP = `usage: sentinel verify PROOF [PROOF] --trust FILE [--policy FILE] [--headers FILE [--after HEIGHT:HASH[:BITS]]]
                       [--network NAME]
                       [--seals FILE] [--checkpoint FILE [--consistency FILE]]
                       [--file FILE] [--interval SECONDS] [--json]

Checks a proof that the console or the API gave, offline, and says what holds, what fails and what is only claimed. Of a
bundle, the proofs of a whole history, every entry is checked as a proof, and that none is missing. Two proofs or
bundles of one log are also held against each other.

  PROOF             the proof document (JSON), or a bundle
  --trust FILE      the trust file of the log, from its operator and not from where the proof came from: sentinel trust
  --policy FILE     witnesses of your own choice and their quorum (C2SP tlog-policy), instead of the policy in the trust
                    file. A quorum that cosigned the checkpoint in the proof, or the one of --checkpoint, shows one log;
                    a cosignature from before the batch or from the future does not count
  --headers FILE    block headers, bare and consecutive, 80 bytes each, from a source of your own; links, work, and the
                    difficulty that main and test ask for are checked: sentinel headers
  --after H:H:B     a block that you know: height, hash as explorers show it, bits (hex). The first header follows it, or
                    is that block, and then the bits can be left out (default on main: block 800000)
  --network NAME    the network that the trust file has to be of. One that this software knows no rules of (not main or test)
                    is NOT PUBLIC unless you name it here: then only links, work and 4 times the known block's target are
                    asked of its headers. Name none that you have from the trust file alone
  --seals FILE      the chain of anchor transactions from the first on: sentinel seals. Shows that there is one log
  --checkpoint FILE a checkpoint of the log that you kept: /checkpoint. Shows that it is the log that you know
  --consistency F   leads from that checkpoint to the batch of the proof, or back: /consistency/FROM/TO; not needed with
                    --seals that hold both. Of two documents, or a bundle, once for each of their batches
  --file FILE       compares the content of a file with what the entry says; of a bundle, with its newest BASELINE, LINK, BREAK
                    or RESET. An entry that says no content, such as a BREAK of EMPTY, compares nothing: FAILS. So does an
                    entry of an empty file with a file that is not empty. Of other entries the file may go on after the
                    length of the entry, as a log does, which is said
  --interval SECS   how long an entry of its category may wait for a transaction (default: 3600, STANDARD)
  --json            the result as JSON
  --help            this text

Every FILE can be a pipe. Exit codes:
  0  HOLDS, by the headers given, and one log is shown: by seals, a checkpoint that you kept, or witnesses. If the
     checkpoint ends before the batch, the last line says that only up to there one log is shown
  1  FAILS, or an input is unusable
  2  wrong usage
  3  NOT PUBLIC: of a development ledger, which whoever runs it can forge, or of a network that is not known
  4  INCOMPLETE: no block is shown yet
  5  NO BLOCK KNOWN: no headers were given, and those in the proof prove nothing
  6  HOLDS, ONE LOG NOT SHOWN: neither seals, a kept checkpoint nor a quorum of witnesses show that no other log of the same key says otherwise
  7  CONFLICT: proofs of both documents, each signed, that cannot both be true
Of two documents without a conflict, and of the entries of a bundle, the more serious code counts: 1, 4, 5, 3, 6, 0.
`;

const misused = misuseOf('sentinel verify', HELP);
const DEFAULT_INTERVAL = '3600';
const MOST_PROOFS = 2;

const OPTIONS = {
  trust: { type: 'string' },
  policy: { type: 'string' },
  headers: { type: 'string' },
  after: { type: 'string' },
  network: { type: 'string' },
  seals: { type: 'string' },
  checkpoint: { type: 'string' },
  consistency: { type: 'string', multiple: true },
  file: { type: 'string' },
  interval: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Values = {
  readonly [K in Exclude<keyof typeof OPTIONS, 'json' | 'help' | 'consistency'>]?: string | undefined;
} & {
  readonly consistency?: string[] | undefined;
  readonly json?: boolean | undefined;
  readonly help?: boolean | undefined;
};

/** Runs `sentinel verify`. @returns the exit code */
export async function runVerify(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  const wrong = misuse(values, positionals);
  if (wrong !== undefined) return misused(wrong);
  try {
    const trust = await readTrust(values.trust ?? '', values.policy);
    const options = await optionsOf(values, trust);
    const documents: Uint8Array[] = [];
    for (const path of positionals) documents.push(await readProofFile(path));
    const checked: CheckedDocument[] = [];
    for (const document of documents)
      checked.push(await checkDocument(document, trust, options, (entry) => compare(values.file, entry)));
    return printResults(checked, values.json === true);
  } catch (error) {
    if (!(error instanceof VerifyInputError)) throw error;
    process.stderr.write(`sentinel verify: ${error.message}\n`);
    return CHECK_EXIT_CODES.FAILS;
  }
}

function misuse(values: Values, proofs: readonly string[]): string | undefined {
  const { after, checkpoint, consistency, file, headers, interval = DEFAULT_INTERVAL, trust } = values;
  if (proofs.length === 0 || proofs.length > MOST_PROOFS) return 'give one proof, or two';
  if (trust === undefined) return '--trust is missing';
  if (headers === undefined && after !== undefined) return '--after goes with --headers';
  if (consistency !== undefined && checkpoint === undefined) return '--consistency goes with --checkpoint';
  if (file !== undefined && proofs.length > 1) return '--file goes with one proof';
  return /^[1-9]\d{0,8}$/.test(interval) ? undefined : '--interval takes seconds';
}

/** Reads all inputs except the proofs. @throws VerifyInputError */
async function optionsOf(values: Values, trust: ProofTrust): Promise<ProofCheckOptions> {
  const { after, headers, interval = DEFAULT_INTERVAL } = values;
  const chain = headers === undefined ? undefined : await readHeaders(headers, after, trust.network);
  return {
    verifySignature: verifyEd25519,
    now: Date.now(),
    intervalMs: Number(interval) * 1_000,
    oneLog: await oneLogOf(values, trust),
    ...ownNetworkOf(values.network, trust),
    ...(chain !== undefined && { headers: chain }),
  };
}

async function oneLogOf(
  { checkpoint, consistency = [], seals }: Values,
  trust: ProofTrust,
): Promise<OneLogEvidence> {
  const consistencies: Consistency[] = [];
  for (const path of consistency) consistencies.push(await readConsistency(path));
  return {
    consistencies,
    ...(seals !== undefined && { seals: await readSeals(seals, trust) }),
    ...(checkpoint !== undefined && { checkpoint: await readNote(checkpoint) }),
  };
}

async function compare(
  path: string | undefined,
  entry: Pick<ProofEntry, 'length' | 'contentHash'> | undefined,
): Promise<FileComparison | undefined> {
  return path === undefined ? undefined : compareContent(path, entry, (length) => hashStart(path, length));
}

/** Prints the results. @returns the exit code */
function printResults(checked: readonly CheckedDocument[], isJson: boolean): number {
  const conclusion = concludeCheck(checked);
  const printed = isJson
    ? `${JSON.stringify(conclusionAsJson(checked, conclusion))}\n`
    : printedChecks(checked, conclusion, OPTION_NAMES);
  process.stdout.write(printed);
  return CHECK_EXIT_CODES[conclusion.end];
}
