/**
 * `sentinel verify` over files that somebody changed, and over 100 MB: it ends with 0 only when one log is shown, and never
 * crashes. SENTINEL_MUTANTS=N tries N times as many, SENTINEL_SEED another choice of them.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { CONSISTENCY_FORMAT, type Bundle, type Proof } from '@sentinel-node/contracts';
import { recorded, SENTINEL, type RecordedLog } from './recorded.ts';
import type { Run } from './verify-many.ts';

const TIMES = Number(process.env['SENTINEL_MUTANTS'] ?? 1);
const SEED = Number(process.env['SENTINEL_SEED'] ?? 12);
const MUTANTS = 250;

const { trust, checkpoint, headers, proofs } = await recorded<
  RecordedLog & { readonly proofs: readonly { readonly name: string; readonly proof: Proof }[] }
>('proof.json');
const { bundles } = await recorded<{ readonly bundles: readonly { readonly bundle: Bundle }[] }>(
  'bundle.json',
);
const sealed = await recorded<RecordedLog & { readonly proof: Proof; readonly lines: readonly string[] }>(
  'seals.json',
);
const log = await recorded<{
  readonly checkpoints: readonly { readonly note: string }[];
  readonly consistency: readonly { readonly from: number; readonly to: number; readonly path: string[] }[];
}>('log.json');
const newest = log.checkpoints.length;
const leading = (from: number): string =>
  JSON.stringify({
    format: CONSISTENCY_FORMAT,
    ...log.consistency.find((one) => one.from === from && one.to === newest)!,
  });

const FILES: Readonly<Record<string, string | Buffer>> = {
  whole: JSON.stringify(proofs.find(({ name }) => name === 'whole')!.proof),
  first: JSON.stringify(proofs.find(({ name }) => name === 'batch 0')!.proof),
  bundle: JSON.stringify(bundles[0]!.bundle),
  trust: JSON.stringify(trust),
  headers: Buffer.from(headers, 'hex'),
  checkpoint: log.checkpoints.at(-1)!.note,
  'from-1': leading(1),
  'from-2': leading(2),
  'sealed-proof': JSON.stringify(sealed.proof),
  'sealed-trust': JSON.stringify(sealed.trust),
  'sealed-headers': Buffer.from(sealed.headers, 'hex'),
  seals: `${sealed.lines.join('\n')}\n`,
};
t.setTimeout(3_600_000);
const folder = t.testdir(FILES as Record<string, string>);
const AFTER = `${checkpoint.height}:${checkpoint.hash}:${checkpoint.bits.toString(16).padStart(8, '0')}`;
const known = (prefix = ''): string[] => [
  ...[
    '--network',
    trust.network,
    '--trust',
    `${prefix}trust`,
    '--headers',
    `${prefix}headers`,
    '--after',
    AFTER,
  ],
];
/** Each ends with 0 over the files as they are. */
const COMMANDS: readonly (readonly string[])[] = [
  ['whole', ...known(), '--checkpoint', 'checkpoint'],
  ['first', ...known(), '--checkpoint', 'checkpoint', '--consistency', 'from-1'],
  ['whole', 'whole', ...known(), '--checkpoint', 'checkpoint'],
  ['bundle', ...known(), '--checkpoint', 'checkpoint', '--consistency', 'from-2'],
  ['sealed-proof', ...known('sealed-'), '--seals', 'seals'],
];

/** Numbers of 0 to below a limit (xorshift). */
function below(limit: number): number {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % limit;
}
let state = SEED;

function changed(bytes: Buffer): Buffer {
  const [from, to] = [below(bytes.length + 1), below(bytes.length + 1)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  const [before, part, after] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
  const flipped = Buffer.from(bytes);
  flipped[from % bytes.length]! ^= 1 << below(8);
  const ways: readonly (() => Buffer)[] = [
    ...[() => flipped, () => flipped, () => flipped],
    () => Buffer.concat([before, after]),
    () => Buffer.concat([before, part, part, after]),
    () => Buffer.concat([after, part, before]),
    () => before,
    () => part,
    () => Buffer.concat([before, Buffer.from(String(-1)), after]),
    () => Buffer.concat([Buffer.from('\ufeff'), bytes]),
    () => Buffer.concat([bytes, Buffer.of(below(256))]),
    () => Buffer.concat([bytes, Buffer.from('\n\n')]),
    () => Buffer.concat([bytes, bytes]),
    () => Buffer.from(bytes.toString('utf16le')),
    () =>
      Buffer.from(
        bytes.toString('latin1').replaceAll(/\d+/g, (digits) => `${digits}.0`),
        'latin1',
      ),
    () => Buffer.from(bytes.toString('latin1').replace(/"(\w+)":/, '"$1":0,"$1":'), 'latin1'),
    () => Buffer.from(bytes.toString('latin1').toUpperCase(), 'latin1'),
    () => Buffer.from(FILES[Object.keys(FILES)[below(Object.keys(FILES).length)]!]!),
  ];
  return ways[below(ways.length)]!();
}

/** Runs all in one process. */
function runMany(commands: readonly (readonly string[])[]): Run[] {
  const program = fileURLToPath(new URL('verify-many.js', import.meta.url));
  const input = commands.map((args) => JSON.stringify([...args, '--json'])).join('\n');
  const { status, stderr, stdout } = spawnSync(process.execPath, [program], {
    cwd: folder,
    input,
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(stderr.toString().slice(-2_000));
  return JSON.parse(stdout.toString()) as Run[];
}

const ONE_LOG = /"code":"(SEALS|KEPT_CHECKPOINT|WITNESSED)"/;

t.test('changed files: never 0 without one log shown, and no crash', async (t) => {
  const commands: string[][] = COMMANDS.map((command) => [...command]);
  for (let n = 0; n < MUTANTS * TIMES; n++) {
    const command = [...COMMANDS[below(COMMANDS.length)]!];
    for (let more = below(4) === 0 ? 2 : 1; more > 0; more--) {
      const places = command.flatMap((name, at) => (Object.hasOwn(FILES, name) ? [at] : []));
      const at = places[below(places.length)];
      if (at === undefined) continue;
      const name = `mutant-${n}-${more}`;
      await writeFile(join(folder, name), changed(Buffer.from(FILES[command[at]!]!)));
      command[at] = name;
    }
    commands.push(command);
  }
  const runs = runMany(commands);
  t.equal(runs.length, commands.length);
  for (const [at, { code, crash, out }] of runs.entries()) {
    const what = `mutant ${at} of seed ${SEED}: ${commands[at]!.join(' ')}`;
    if (crash !== undefined || code === null || code < 0 || code > 7) t.fail(`${what}: ${crash ?? code}`);
    const isHolding = /"outcome":"HOLDS"/.test(out) && ONE_LOG.test(out) && /"code":"BLOCK"/.test(out);
    if (code === 0 && !isHolding) t.fail(`${what}: 0 without one log`);
    if (at < COMMANDS.length && code !== 0) t.fail(`${what}: ${code} as it was recorded`);
  }
  const codes = new Set(runs.map(({ code }) => code));
  t.ok(codes.has(0) && codes.has(1), `codes ${[...codes].join()}`);
});

/** The most that a run may take of memory, in MiB: several times of what it may read. */
const MOST_MEMORY = 512;
const MEMORY =
  'data:text/javascript,process.on("exit",()=>process.stderr.write(`memory ${Math.ceil(process.resourceUsage().maxRSS/1024)}\\n`))';

async function run(args: string, making: string) {
  const command = `exec ${process.execPath} --import '${MEMORY}' ${SENTINEL} verify ${args.replace('BIG', `<(${making})`)}`;
  const child = spawn('bash', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr, memory: Number(/memory (\d+)/.exec(stderr)?.[1]) };
}

const MB_100 = 104_857_600;
const repeated = (unit: string, bytes = MB_100): string => `yes '${unit}' | tr -d '\\n' | head -c ${bytes}`;

t.test('100 MB in the place of each input are refused, in bounded memory', async (t) => {
  const others = `--trust trust --network ${trust.network} --headers headers --after ${AFTER}`;
  const sealing = 'sealed-proof --trust sealed-trust --seals';
  const cases: readonly [args: string, making: string, told: RegExp][] = [
    [`BIG ${others}`, repeated('[{"a":'), /FAILS {4}TOO_LARGE/],
    ['whole --trust BIG', repeated('{"origin":"a"}'), /TOO_LARGE/],
    [`whole ${others} --policy BIG`, repeated('witness '), /too large/],
    [`whole ${others} --checkpoint BIG`, repeated('x'), /too large/],
    [`whole ${others} --checkpoint checkpoint --consistency BIG`, repeated('[0,'), /TOO_LARGE/],
    [`${sealing} BIG`, repeated('['), /TOO_LARGE/],
    [`${sealing} BIG`, `head -1 seals; ${repeated('[')}`, /fail at batch 0: TOO_LARGE/],
    [`${sealing} BIG`, `head -3 seals; yes '' | head -c ${MB_100}`, /fail at batch 2: NOT_JSON/],
    [`whole --trust trust --headers BIG --after ${AFTER}`, repeated('01234567'), /NOT_LINKED/],
    // As large as a bundle may be: millions of members and items that do not fit.
    [
      `BIG ${others}`,
      `printf '{"format":"sentinel/bundle/v1","entries":['; ${repeated('{},', 8_000_001)}; printf '{}]}'`,
      /UNKNOWN_FORM/,
    ],
    [
      `BIG ${others}`,
      `printf '{"format":"sentinel/bundle/v1","entries":['; ${repeated('0,', 8_000_000)}; printf '0]}'`,
      /UNKNOWN_FORM/,
    ],
  ];
  for (const [args, making, told] of cases) {
    const { code, memory, stderr, stdout } = await run(args, making);
    t.match({ code, told: stdout + stderr }, { code: 1, told }, args);
    t.ok(memory > 0 && memory < MOST_MEMORY, `${args}: ${memory} MiB`);
  }
});
