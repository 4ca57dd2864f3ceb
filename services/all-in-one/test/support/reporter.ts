/** Agent of the tests: sends what a test requests, with the device's API key. */
import { createHash } from 'node:crypto';
import type { Change, FileInput } from '@sentinel-node/contracts';
import { call, type Answer, type Member } from './client.ts';

export interface Version {
  readonly length: number;
  readonly hash: string;
}

/** Returns the version of a file with the content `text`. */
export function version(text: string): Version {
  return { length: Buffer.byteLength(text), hash: createHash('sha256').update(text).digest('hex') };
}

export interface ReportFields {
  readonly change: Change;
  readonly versions?: readonly Version[];
  readonly archives?: readonly (Version & { readonly name: string })[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly sequence?: number;
  readonly timestamp?: string;
  readonly configVersion?: number;
}

export interface Watched {
  readonly id: string;
  readonly name: string;
}

export class Reporter {
  readonly member: Member;
  readonly deviceId: string;
  readonly apiKey: string;
  #last: number;

  /** @param last highest sequence that was used before */
  constructor(member: Member, deviceId: string, apiKey: string, last = 0) {
    this.#last = last;
    this.member = member;
    this.deviceId = deviceId;
    this.apiKey = apiKey;
  }

  /** The part `{org}/{device}` of a path. */
  get path(): string {
    return `${this.member.orgId}/${this.deviceId}`;
  }

  /** Returns the next sequence: max(last + 1, this process's clock in µs). */
  nextSequence(): number {
    return (this.#last = Math.max(this.#last + 1, Date.now() * 1000));
  }

  /** Returns the body of a report, with the next sequence. */
  reportOf(fields: ReportFields) {
    return { sequence: this.nextSequence(), timestamp: new Date().toISOString(), versions: [], ...fields };
  }

  send(fileId: string, fields: ReportFields): Promise<Answer> {
    return this.post(`/files/${this.path}/${fileId}`, this.reportOf(fields));
  }

  /** Sends a report. @throws Error unless the server accepts the report */
  async report(fileId: string, change: Change, ...versions: Version[]): Promise<void> {
    await this.reportWith(fileId, { change, versions });
  }

  async reportWith(fileId: string, fields: ReportFields): Promise<void> {
    const answer = await this.send(fileId, fields);
    if (answer.status !== 202)
      throw new Error(`${fields.change}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  heartbeat(instanceId: string): Promise<Answer> {
    return this.post(`/devices/health/${this.path}`, {
      timestamp: new Date().toISOString(),
      instanceId,
      agentVersion: '1.0.0',
      queue: 0,
      oldestUnsent: null,
      files: [],
    });
  }

  post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return call(this.member.server, 'POST', `/api/v1${path}`, body, { 'x-api-key': this.apiKey, ...headers });
  }
}

export interface DeviceWish {
  readonly name?: string;
  readonly category?: 'STANDARD' | 'ADVANCED' | 'MISSION_CRITICAL';
}

/** Makes a new device through a person's calls. @returns the device with its API key */
export async function deviceOf(member: Member, wish: DeviceWish = {}): Promise<Reporter> {
  const { id } = await member.done('POST', `/devices/${member.orgId}`, {
    name: wish.name ?? 'Server',
    description: '',
    path: '/srv/app',
    healthInterval: 60,
    monitoring: true,
    category: wish.category ?? 'MISSION_CRITICAL',
  });
  const device = await member.done('GET', `/devices/${member.orgId}/${id}`);
  return new Reporter(member, id as string, device.apiKey as string);
}

export const MODIFIABLE: Omit<FileInput, 'name' | 'path'> = {
  type: 'TEXT',
  monitoringFrequency: 'PROBE',
  interval: 1,
  rolled: false,
  modifiable: true,
  enabled: true,
};

/** Adds files; default: modifiable, PROBE. @returns ids by name */
export async function addFiles(
  { member, deviceId }: Reporter,
  wishes: Readonly<Record<string, Partial<FileInput>>>,
): Promise<Record<string, string>> {
  const files = Object.entries(wishes).map(([name, wish]) => ({
    ...MODIFIABLE,
    name,
    path: `files/${name}`,
    ...wish,
    ...(wish.monitoringFrequency === 'FOLLOW' ? { interval: undefined } : {}),
  }));
  const device = await member.done('PUT', `/devices/files/${member.orgId}/${deviceId}`, { files });
  const named = (device.files as Watched[]).filter(({ name }) => name in wishes);
  return Object.fromEntries(named.map(({ name, id }) => [name, id]));
}
