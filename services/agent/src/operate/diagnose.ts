/** `--check` and `--dry-run`: what an operator finds out before an agent runs. */
import { AgentConfigError } from '../config-error.ts';
import type { Network } from '../net/network.ts';
import { checkCertificate, checkReadRate, checkSource, type Check } from './check.ts';
import { dryRun, type DryLook } from './dry-run.ts';
import { UNCHECKED, WRONG } from './exit-codes.ts';
import { escapeLines } from './escape-lines.ts';
import { endByForce } from './end-by-force.ts';
import { logger, type LogFormat } from './log.ts';
import { Patience } from './patience.ts';
import { readSources } from './sources.ts';

export interface Asked {
  readonly config: readonly string[];
  readonly stateDir: string | undefined;
  readonly json: boolean;
  readonly format: LogFormat;
  readonly timeoutMs: number;
}

/**
 * Checks what an agent needs, and prints each result when it is there.
 * @param readRate bytes a second; Infinity: not limited @returns the exit code
 */
export async function check(asked: Asked, network: Network, readRate: number): Promise<number> {
  const { config, stateDir, json, timeoutMs } = asked;
  const { good, bad } = await readSources(config, stateDir);
  const checks = bad.map(({ message: found }): Check => ({
    device: null,
    what: 'configuration',
    result: 'wrong',
    found,
  }));
  const certificates = network.certificates.map((one) => checkCertificate(one, Date.now()));
  const tell = ({ result, what, found }: Check): void => {
    if (!json) print(`${escapeLines(`${result.padEnd(6)}${what}: ${found}`)}\n`);
  };
  for (const one of [...checks, ...certificates]) tell(one);
  const sizes: number[] = [];
  const patience = new Patience(timeoutMs);
  const ofDevices = await Promise.all(
    good.map((one) =>
      checkSource(one, { fetch: network.fetch, patience, tell, tellSize: (size) => void sizes.push(size) }),
    ),
  );
  const rates = readRate === Infinity ? [] : [checkReadRate(readRate, sizes)];
  for (const one of rates) tell(one);
  const all = [...checks, ...certificates, ...ofDevices.flat(), ...rates];
  const isWrong = all.some(({ result }) => result === 'wrong');
  if (json) print(`${JSON.stringify({ ok: !isWrong, checks: all }, null, 2)}\n`);
  if (patience.isLost) endByForce(asked.format);
  return isWrong ? WRONG : 0;
}

/**
 * Looks at every file once, and prints each look when it and those before it are there.
 * @param readRate as in `check` @returns the exit code
 */
export async function showDryRun(asked: Asked, readRate: number): Promise<number> {
  const { config, stateDir, json, format, timeoutMs } = asked;
  const { good, bad } = await readSources(config, stateDir);
  if (bad[0] !== undefined) throw new AgentConfigError(bad[0].message);
  const patience = new Patience(timeoutMs);
  const log = logger(format);
  const tell = (look: DryLook): void => {
    if (!json) print(lookText(look));
  };
  const looks: DryLook[] = [];
  for (const { configuration } of good)
    looks.push(...(await dryRun(configuration, { patience, readRate, log, tell })));
  if (json) print(`${JSON.stringify({ files: looks }, null, 2)}\n`);
  if (patience.isLost) endByForce(asked.format);
  return looks.some(({ problem, archiveFaults }) => problem !== null || archiveFaults !== null)
    ? UNCHECKED
    : 0;
}

function lookText({ path, length, hash, archives, problem, archiveFaults }: DryLook): string {
  const look =
    problem === null
      ? `${hash}  ${path}  ${length} bytes${archives === 0 ? '' : `, ${archives} archives`}`
      : `not watched: ${path}: ${problem}`;
  const faults = archiveFaults === null ? [] : [`archives not checked: ${path}: ${archiveFaults}`];
  return [look, ...faults].map((line) => `${escapeLines(line)}\n`).join('');
}

function print(text: string): void {
  process.stdout.write(text);
}
