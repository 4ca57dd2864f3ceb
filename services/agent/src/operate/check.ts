import { constants } from 'node:fs';
import { access, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { probeArchive } from '../io/archives.ts';
import { UnreadableArchiveError } from '../io/decompress.ts';
import { REREAD_MS } from '../domain/watching.ts';
import { FolderListing } from '../io/folder-listing.ts';
import { lookAt, probeRegular } from '../io/kind.ts';
import { isStateInUse } from '../io/state-lock.ts';
import { isClockOff } from '../clock.ts';
import { certificateExpiry, type CertificateFile } from '../net/certificates.ts';
import { Server } from '../net/server.ts';
import type { NoAnswerError, Patience } from './patience.ts';
import type { Source } from './sources.ts';

/** Result of one check. `note`: the agent works, but the operator should know. */
export interface Check {
  /** null when the check concerns all devices. */
  readonly device: string | null;
  readonly what: string;
  readonly result: 'ok' | 'note' | 'wrong';
  /** Finding, with advice when the result is wrong. */
  readonly found: string;
}

/**
 * Checks the needs of an agent with this configuration: state folder, files, server and clock. The files are those of
 * the server's configuration, which a started agent takes; without an answer those of the given one.
 */
export async function checkSource(
  { configuration, stateDir }: Source,
  { fetch: fetchBy, patience, tell, tellSize }: CheckOptions,
): Promise<Check[]> {
  const checks: Check[] = [];
  const add = (found: Found): void => {
    const check = { device: configuration.devId, ...found };
    checks.push(check);
    tell(check);
  };
  add(await checkState(stateDir, patience));
  const { found, current = configuration } = await checkServer(configuration, fetchBy);
  for (const file of current.files) {
    const { size, ...check } = await checkFile(current, file, patience);
    if (size !== undefined) tellSize(size);
    add(check);
  }
  for (const one of found) add(one);
  return checks;
}

export interface CheckOptions {
  readonly fetch: typeof fetch;
  readonly patience: Patience;
  /** Receives each check when its result is there. */
  readonly tell: (check: Check) => void;
  /** Receives the size of each file that can be read, in bytes. */
  readonly tellSize: (size: number) => void;
}

/** Checks that a reading rate suffices for the whole reading of all files every ten minutes. @param rate bytes a second */
export function checkReadRate(rate: number, sizes: readonly number[]): Check {
  const needed = sizes.reduce((all, size) => all + size, 0) / (REREAD_MS / 1_000);
  const enough = `files are read every ${REREAD_MS / 60_000} minutes, which needs ${inMib(needed)} MiB a second`;
  return rate >= needed
    ? { device: null, what: '--read-rate', result: 'ok', found: enough }
    : {
        device: null,
        what: '--read-rate',
        result: 'wrong',
        found: `${enough}: looks would be late (LOOK_LATE)`,
      };
}

/** Rounds up, so that the named rate suffices. */
const inMib = (bytes: number): string => (Math.ceil((bytes / BYTES_PER_MIB) * 100) / 100).toFixed(2);

/** Checks how long a certificate remains valid. */
export function checkCertificate(certificate: CertificateFile, nowMs: number): Check {
  const { state, said: found } = certificateExpiry(certificate, nowMs);
  const result = ({ good: 'ok', soon: 'note', ended: 'wrong' } as const)[state];
  return { device: null, what: `certificate ${certificate.file} (${certificate.option})`, result, found };
}

type Found = Omit<Check, 'device'>;

/** Size of the file that shows whether the state folder has room, in bytes: a page of the state file. */
const PROBE_BYTES = 4_096;

/** Files of the state folder that an agent opens for reading and writing. */
const STATE_FILES = /^(state-\d+\.db(-wal|-shm)?|lock\.db|failure)$/;

const BYTES_PER_MIB = 1_048_576;

/** Bits of a mode that let the group and others in. */
const OTHERS = 0o077;

async function checkState(stateDir: string, patience: Patience): Promise<Found> {
  const what = `state folder ${stateDir}`;
  return await patience
    .answer(() => checkFolder(what, stateDir))
    .catch((error: unknown) => {
      if (!isNoAnswer(error)) throw error;
      return { what, result: 'wrong', found: `cannot be written (${error.message})` };
    });
}

const isNoAnswer = (error: unknown): error is NoAnswerError => codeOf(error) === 'NO_ANSWER';

async function checkFolder(what: string, stateDir: string): Promise<Found> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    const probe = join(stateDir, `check-${process.pid}`);
    try {
      await writeDurably(probe);
    } finally {
      await rm(probe, { force: true });
    }
  } catch (error) {
    return {
      what,
      result: 'wrong',
      found: `cannot be written (${codeOf(error) ?? 'error'}); choose another --state`,
    };
  }
  const shut = await shutStateFile(stateDir);
  if (shut !== undefined) return { what, result: 'wrong', found: shut };
  if (isStateInUse(stateDir))
    return { what, result: 'note', found: 'an agent is using it; a second one would not start' };
  const isOpen = ((await stat(stateDir)).mode & OTHERS) !== 0;
  return isOpen
    ? { what, result: 'note', found: 'can be written, but other users may enter it: chmod 700 it' }
    : { what, result: 'ok', found: 'can be written' };
}

/** Returns why the agent cannot use a file of the state; undefined when it can use all of them. */
async function shutStateFile(stateDir: string): Promise<string | undefined> {
  for (const name of (await readdir(stateDir)).filter((one) => STATE_FILES.test(one)))
    try {
      await (await open(join(stateDir, name), 'r+')).close();
    } catch (error) {
      const code = codeOf(error);
      // An agent that runs or ends removes files.
      if (code !== 'ENOENT')
        return `its file ${name} cannot be read and written (${code ?? 'error'}): give it to the agent's user, or choose another --state`;
    }
  return undefined;
}

/** @throws Error of node:fs; an empty file would need no room, so that a full disk would seem fine */
async function writeDurably(path: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(Buffer.alloc(PROBE_BYTES));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function checkFile(
  { workingDirectory }: AgentConfiguration,
  file: AgentConfiguration['files'][number],
  patience: Patience,
): Promise<Found & { readonly size?: number }> {
  const path = resolve(workingDirectory, file.path);
  const what = `file ${path}`;
  try {
    await patience.answer(() => lookAt(path)); // refuses a device before it is opened
    const size = await patience.answer(() => probeRegular(path));
    const { rolled, rolledfilenameregexp: expression } = file;
    if (rolled) await patience.answer(() => access(dirname(path), constants.R_OK | constants.X_OK));
    const shut =
      rolled && expression !== undefined ? await shutArchive(path, expression, patience) : undefined;
    if (shut !== undefined) return { what, result: 'wrong', found: shut };
    return { what, result: 'ok', found: `can be read, ${size} bytes`, size };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT')
      return {
        what,
        result: 'wrong',
        found: 'there is no such file: its first look would raise the alert EMPTY',
      };
    if (code === 'NOT_REGULAR' || code === 'NO_SIZE')
      return {
        what,
        result: 'wrong',
        found: `${messageOf(error)}: only regular files can be watched`,
      };
    if (isNoAnswer(error)) return { what, result: 'wrong', found: `cannot be read (${error.message})` };
    return {
      what,
      result: 'wrong',
      found: `cannot be read (${code ?? messageOf(error)}): give the agent's user the right to read it`,
    };
  }
}

/** Returns why an archive of the file cannot be read; undefined when all can be. @throws Error of node:fs or the expression */
async function shutArchive(
  path: string,
  expression: string,
  patience: Patience,
): Promise<string | undefined> {
  const listing = new FolderListing(dirname(path), () => performance.now());
  listing.add(expression);
  const archives = await patience.answer(() => listing.archives(expression, basename(path), true));
  for (const archive of archives)
    try {
      await patience.answer(() => probeRegular(archive.path));
      await patience.answer(() => probeArchive(archive.path));
    } catch (error) {
      const code = codeOf(error);
      if (isNoAnswer(error)) return `its archive ${archive.name} cannot be read (${error.message})`;
      if (error instanceof UnreadableArchiveError) {
        // An archive without its end may still be written; a started agent waits for it.
        if (!error.cut) return `its archive ${archive.name} cannot be read (${error.message})`;
        continue;
      }
      // A rotation renames archives.
      if (code !== 'ENOENT')
        return `its archive ${archive.name} cannot be read (${code ?? messageOf(error)}): give the agent's user the right to read it`;
    }
  return undefined;
}

interface ServerCheck {
  readonly found: readonly Found[];
  /** The server's configuration of the device, when the server gave it. */
  readonly current?: AgentConfiguration;
}

async function checkServer(configuration: AgentConfiguration, fetchBy: typeof fetch): Promise<ServerCheck> {
  let serverMs: number | undefined;
  const server = new Server(configuration, (ms) => (serverMs = ms), fetchBy);
  const answer = await server.configuration();
  const what = `server ${configuration.sentinelAddress}`;
  if (answer.kind === 'unreachable')
    return { found: [{ what, result: 'wrong', found: `cannot be reached (${answer.detail})` }] };
  const clock = serverMs === undefined || Number.isNaN(serverMs) ? [] : [checkClock(Date.now() - serverMs)];
  if (answer.kind === 'refused') {
    const found =
      answer.status === 401
        ? 'refuses the key of this device: download the configuration again'
        : `answers ${answer.status} ${answer.code}`;
    return { found: [{ what, result: 'wrong', found }, ...clock] };
  }
  const current = answer.value.configuration;
  const found = `takes the key; its configuration names ${current.files.length} files`;
  return { found: [{ what, result: 'ok', found }, ...clock], current };
}

function checkClock(offsetMs: number): Found {
  const found = `${(offsetMs / 1_000).toFixed(1)} s from the server's`;
  return isClockOff(offsetMs)
    ? { what: 'clock', result: 'wrong', found: `${found}: set up time synchronisation` }
    : { what: 'clock', result: 'ok', found };
}
