/** Sets up the system, and two devices with the test's files and their configurations. */
import { chmodSync, chownSync, mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { freePorts } from '@sentinel-node/test-kit/test-servers';
import type { Test } from 'tap';
import { founder, type Member } from '../support/client.ts';
import { temporaryFolder } from '../support/folder.ts';
import { Node } from '../support/node.ts';
import { addFiles, deviceOf, type Reporter } from '../support/reporter.ts';
import { FIRST_MODE } from './disk.ts';
import { diskAtFirst } from './plan.ts';
import { archiveExpression, fileOf, type WatchedFile } from './policies.ts';

/** Health interval, in seconds: the shortest possible. */
export const HEALTH_SECONDS = 10;
const DEVICES = 2;
/** Number of files in a folder. */
const FILES_PER_FOLDER = 100;
/** Most files of a call: a call may contain 200 expressions, and every second file has one. */
const FILES_PER_CALL = 400;
const MS_PER_SECOND = 1_000;
const HOUR_MS = 3_600_000;

export interface Watched extends WatchedFile {
  readonly id: string;
  readonly device: Reporter;
  readonly path: string;
  /** Device and inode at the beginning; null without a file. */
  readonly firstInode: string | null;
}

export interface Stage {
  readonly node: Node;
  readonly admin: Member;
  readonly devices: readonly Reporter[];
  readonly files: readonly Watched[];
  /** Folder of configurations. */
  readonly config: string;
  /** State folder of the agent, empty at first. */
  readonly state: string;
  /** Folder that is shut for a while. */
  readonly shutAway: string;
  /** Returns the path of a file that the agent may read and write. */
  readonly scratch: (name: string) => string;
}

/** Sets up the stage. @param owner of the agent's folders; undefined: this process's user */
export async function setStage(t: Test, count: number, owner: number | undefined): Promise<Stage> {
  const folder = temporaryFolder(t);
  chmodSync(folder, 0o755);
  const [config, state, tree] = ['config', 'state', 'tree'].map((name) => join(folder, name));
  for (const own of [config!, state!]) {
    mkdirSync(own);
    if (owner !== undefined) chownSync(own, owner, owner);
  }
  // The server keeps its port over its kills, because the agent knows the address.
  const [port] = await freePorts(1);
  const node = new Node(t, { SENTINEL_PORT: String(port) }, join(folder, 'data'));
  await node.start();
  const admin = await founder(node);
  const devices: Reporter[] = [];
  for (let n = 0; n < DEVICES; n += 1) devices.push(await deviceWith(admin, `Tortured ${n}`, tree!));
  const files: Watched[] = [];
  for (const [n, device] of devices.entries()) {
    const numbers = Array.from({ length: count }, (_, number) => number).filter(
      (number) => number % DEVICES === n,
    );
    files.push(...(await filesOn(device, numbers, tree!)));
    const configuration: unknown = await admin.done('GET', `/devices/config/${device.path}`);
    writeFileSync(join(config!, `${n}.json`), JSON.stringify(configuration));
  }
  files.sort((a, b) => a.number - b.number);
  const scratch = (name: string): string => join(folder, name);
  return {
    node,
    admin,
    devices,
    files,
    config: config!,
    state: state!,
    shutAway: join(tree!, 'shut-away'),
    scratch,
  };
}

async function deviceWith(admin: Member, name: string, path: string): Promise<Reporter> {
  const device = await deviceOf(admin, { name });
  await admin.done('PUT', `/devices/${device.path}`, {
    name,
    path,
    healthInterval: HEALTH_SECONDS,
    enabled: true,
    category: 'MISSION_CRITICAL',
    updateDeviceData: true,
  });
  return device;
}

async function filesOn(device: Reporter, numbers: readonly number[], tree: string): Promise<Watched[]> {
  const files = numbers.map((number) => {
    const file = fileOf(number);
    const path = join(tree, folderOf(file), file.name);
    return { ...file, path, firstInode: putAtFirst(file, path) };
  });
  const wishes = files.map((file) => [
    file.name,
    {
      path: file.path,
      monitoringFrequency: file.frequency,
      interval: file.intervalSeconds,
      modifiable: file.modifiable,
      watchAttributes: file.watchesAttributes,
      rolled: file.rolled,
      ...(file.rolled ? { rolledFilenameRegexp: archiveExpression(file) } : {}),
    },
  ]);
  const ids: Record<string, string> = {};
  for (let from = 0; from < wishes.length; from += FILES_PER_CALL)
    Object.assign(ids, await addFiles(device, Object.fromEntries(wishes.slice(from, from + FILES_PER_CALL))));
  return files.map((file) => ({ ...file, device, id: ids[file.name] ?? '' }));
}

const folderOf = ({ isShutAway, number }: WatchedFile): string =>
  isShutAway ? 'shut-away' : `d${Math.floor(number / FILES_PER_FOLDER)}`;

function putAtFirst(file: WatchedFile, path: string): string | null {
  mkdirSync(join(path, '..'), { recursive: true });
  const { archives, content } = diskAtFirst(file);
  for (const [at, archive] of archives.entries()) {
    const name = `${path}.${at + 1}.gz`;
    writeFileSync(name, gzipSync(archive.content));
    const time = (Date.now() - (at + 1) * HOUR_MS) / MS_PER_SECOND;
    utimesSync(name, time, time);
  }
  if (content === null) return null;
  writeFileSync(path, content);
  chmodSync(path, FIRST_MODE);
  const { dev, ino } = statSync(path);
  return `${dev}:${ino}`;
}
