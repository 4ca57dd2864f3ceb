import type { ChainRecord, RegistryRecord } from '@sentinel-node/contracts';
import type { Findings } from './finding.ts';

interface Device {
  readonly id: string;
  readonly orgId: string;
}

/**
 * Compares whose each file is by the chain with whose it is by the registry. Views, alerts and exports follow the chain, so that
 * a history under another organisation would be missing in its own one.
 * @boundedBy the number of files
 */
export class FileOwners {
  readonly #findings: Findings;
  readonly #devices = new Map<string, Device>();
  /** Device of each file of the chain, and whether the registry has the file. */
  readonly #files = new Map<string, { readonly device: Device; isKnown: boolean }>();

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Takes a record of the chain topic. */
  judged({ deviceId, fileId, orgId, rev }: Pick<ChainRecord, 'deviceId' | 'fileId' | 'orgId' | 'rev'>): void {
    const say = (what: string): void => this.#say(`${fileId ?? deviceId} revision ${rev}: ${what}`);
    const device = this.#deviceOf(deviceId, orgId);
    if (device.orgId !== orgId) say(`is of organisation ${orgId}, its device of ${device.orgId}`);
    if (fileId === null) return;
    const file = this.#files.get(fileId);
    if (file === undefined) this.#files.set(fileId, { device, isKnown: false });
    else if (file.device !== device) say(`is of device ${deviceId}, the file of ${file.device.id}`);
  }

  /** Takes a record of the registry, after all records of the chain. */
  registered({ entity }: Pick<RegistryRecord, 'entity'>): void {
    if (entity.kind !== 'DEVICE') return;
    const device = this.#devices.get(entity.id);
    // Each record of a device has all of it again: a difference is told once.
    if (device !== undefined && device.orgId !== entity.orgId && this.#devices.delete(entity.id))
      this.#say(
        `device ${entity.id}: is of organisation ${device.orgId} in the chain, of ${entity.orgId} in the registry`,
      );
    for (const { id } of entity.files) {
      const file = this.#files.get(id);
      if (file === undefined || file.isKnown) continue;
      file.isKnown = true;
      if (file.device.id !== entity.id)
        this.#say(`file ${id}: is of device ${file.device.id} in the chain, of ${entity.id} in the registry`);
    }
  }

  /** Reports the files that no device of the registry has ever had. Call it when the whole registry was taken. */
  end(): void {
    for (const [id, { device, isKnown }] of this.#files)
      if (!isKnown) this.#say(`file ${id}: no device of the registry has it, ${device.id} in the chain`);
  }

  #deviceOf(id: string, orgId: string): Device {
    let device = this.#devices.get(id);
    if (device === undefined) this.#devices.set(id, (device = { id, orgId }));
    return device;
  }

  #say(what: string): void {
    this.#findings.add('owners', what);
  }
}
