import { open, rename, rm, stat } from 'node:fs/promises';
import { parseOptions } from '@sentinel-node/agent/arguments';
import {
  codeOf,
  fromHex,
  HeaderRun,
  messageOf,
  parseBlockHeader,
  shownHash,
  type BlockHeader,
} from '@sentinel-node/contracts';
import {
  DEV_LEDGER_COLLECTIONS,
  LedgerUnavailableError,
  PortError,
  type HeadersConfig,
} from '@sentinel-node/platform';
import {
  BestChain,
  blockId,
  blockInForm,
  fetchHeaders,
  openSource,
  readStoredHeaders,
} from '@sentinel-node/platform/ledger';
import { endOf, withDocuments, type Reading } from '../operator/read.ts';
import { OPTIONS, runCommand, UsageError, wholeNumber } from '../operator/run.ts';

const HELP = `usage: sentinel headers FILE [--from HEIGHT] [--data DIR]

Writes a file of the block headers that sentinel verify --headers takes: bare and consecutive, 80 bytes each, from the checkpoint to
the newest block (docs/formats.md). Those that the server has stored are checked again, and the source of
SENTINEL_HEADERS, which a public ledger needs here, is asked for newer ones; what it says is checked too. Of the development
ledger it writes all.

What it writes proves something only to whoever trusts you for the first block of it. A checker who does not compares that
block with an explorer or a node, or asks a service of its own.

Works beside a running server, on the embedded store too. FILE is there only when it is whole.

  --from HEIGHT    begins with this block (default: the checkpoint; SENTINEL_HEADERS_CHECKPOINT, on main block 800000)
  --data DIR       the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --help           this text

Exit code 0: done; 1: a block is missing though a later one is there, or it could not be done, which is one line;
2: wrong usage.
`;

const HIGHEST = 2_147_483_647;
/** Headers between two lines of progress, and headers per write. */
const PROGRESS_HEADERS = 10_000;
const WRITE_HEADERS = 1_000;

/** Headers [first, last] of one chain, by height. */
interface Headers {
  readonly first: number;
  readonly last: number;
  readonly range: (from: number, to: number) => Uint8Array;
}

/** Runs `sentinel headers`. @returns the exit code */
export async function runHeaders(args: readonly string[]): Promise<number> {
  const { data, help } = OPTIONS;
  const options = { data, help, from: { type: 'string' } } as const;
  const { positionals, values } = parseOptions({ args: [...args], options, allowPositionals: true });
  return runCommand({ name: 'headers', help: HELP }, values, async () => {
    const [path] = positionals;
    if (path === undefined || positionals.length > 1) throw new UsageError('give the file to write');
    const from = values.from === undefined ? undefined : wholeNumber('from', values.from, 0, HIGHEST);
    return withDocuments({ command: 'headers', dataDir: values.data }, (given) =>
      writeHeaders(given, path, from),
    );
  });
}

/** The headers are not whole, or cannot be written. */
class HeadersFileError extends PortError {
  constructor(message: string) {
    super('HEADERS_FILE', message);
  }
}

async function writeHeaders(given: Reading, path: string, from: number | undefined): Promise<number> {
  const { config, writeLine } = given;
  await confirmFile(path);
  const headers =
    config.headers === undefined ? await ofLedger(given) : await ofSource(given, config.headers);
  if (headers.last < headers.first) {
    writeLine('no block header is known yet');
    return 1;
  }
  const first = from ?? headers.first;
  if (first < headers.first || first > headers.last)
    throw new UsageError(`--from takes a height from ${headers.first} to ${headers.last}`);
  await writeFile(path, headers, first);
  const hash = shownHash(parseBlockHeader(headers.range(first, first))!.hash);
  writeLine(`blocks ${first} to ${headers.last}; a checker who knows the first: --after ${first}:${hash}`);
  return 0;
}

/** Returns the stored headers and the source's newer ones. Does not write to the store. */
async function ofSource({ documents, writeLine }: Reading, headers: HeadersConfig): Promise<Headers> {
  const { checkpoint, from, network } = headers;
  const chain = new BestChain({ network, checkpoint });
  const problem = await readStoredHeaders(documents, chain);
  if (problem !== undefined)
    writeLine(`stored headers do not hold from block ${problem.height} on: ${problem.problem}`);
  const source = openSource(from, checkpoint, new AbortController().signal);
  let lastShown = chain.height;
  const onTaken = (): Promise<void> => {
    if (chain.height - lastShown >= PROGRESS_HEADERS) writeLine(`block ${(lastShown = chain.height)}`);
    return Promise.resolve();
  };
  const now = (): number => Math.floor(Date.now() / 1_000);
  const { refusal, end } = await fetchHeaders({ chain, source, now, onTaken });
  if (refusal !== undefined)
    throw new LedgerUnavailableError(
      `${source.name} is not believed from block ${refusal.height} on: ${refusal.problem}`,
    );
  if (chain.height < end)
    throw new LedgerUnavailableError(
      `${source.name} names block ${end} as its newest, and does not tell its branches apart from block ${chain.height + 1} on: try again after the next block`,
    );
  return {
    first: checkpoint.height,
    last: chain.height,
    range: (first, last) => chain.range(first, last),
  };
}

const devRunFrom = ({ bits, previous }: BlockHeader): HeaderRun =>
  new HeaderRun({ network: 'dev', hash: shownHash(previous), bits });

/** Returns the headers up to the block that is the newest now. @throws HeadersFileError when a block is missing or does not fit */
async function ofLedger({ documents }: Reading): Promise<Headers> {
  const { blocks } = DEV_LEDGER_COLLECTIONS;
  const end = await endOf(documents, blocks.name);
  const headers: Uint8Array[] = [];
  let run: HeaderRun | undefined;
  for (let height = 0; height < end; height++) {
    const block = await documents.get(blocks.name, blockId(height));
    if (block === undefined)
      throw new HeadersFileError(
        `block ${height} of the development ledger is missing, and a later one is there: run sentinel audit`,
      );
    const header = fromHex(blockInForm(block).header);
    const parsed = parseBlockHeader(header);
    const fault = parsed === undefined ? 'NO_HEADER' : (run ??= devRunFrom(parsed)).add(parsed);
    if (fault !== undefined)
      throw new HeadersFileError(
        `block ${height} of the development ledger does not hold (${fault}): run sentinel audit`,
      );
    headers.push(header);
  }
  return {
    first: 0,
    last: end - 1,
    range: (from, to) => new Uint8Array(Buffer.concat(headers.slice(from, to + 1))),
  };
}

async function writeFile(path: string, { last, range }: Headers, first: number): Promise<void> {
  const part = `${path}.part`;
  try {
    const file = await open(part, 'w');
    try {
      // `write` takes a part of the bytes on a disk that is nearly full, and is silent about the rest.
      for (let at = first; at <= last; at += WRITE_HEADERS)
        await file.appendFile(range(at, Math.min(last, at + WRITE_HEADERS - 1)));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw new HeadersFileError(`${path} cannot be written (${codeOf(error) ?? messageOf(error)})`);
  }
}

/** Refuses what the renaming of the finished file would replace: a device, a pipe, a folder. @throws HeadersFileError */
async function confirmFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found !== undefined && !found.isFile())
    throw new HeadersFileError(`${path} is there and is no file: give the name of a file to write`);
}
