import type { AgentConfiguration } from './schemas/configuration.ts';
import type { DeviceEntity, FileEntity } from './records/registry.ts';
import { pathOn } from './file-path.ts';
import type { Policy } from './hashes.ts';

/** Returns the policy for judging reports of the file. Monitoring is on when it is on for both file and device. */
export function policyOf(device: DeviceEntity, file: FileEntity): Policy {
  return {
    configVersion: device.configVersion,
    modifiable: file.modifiable,
    rolled: file.rolled,
    enabled: device.enabled && file.enabled && !device.deleted,
    monitoringFrequency: file.monitoringFrequency,
    category: device.category,
    path: pathOn(device.path, file.path),
    rolledFilenameRegexp: file.rolled ? (file.rolledFilenameRegexp ?? '') : '',
    ...(watchesAttributes(file) ? { watchAttributes: true } : {}),
  };
}

/** Returns true when two policies differ in more than their `configVersion`. */
export function policyDiffers(a: Policy, b: Policy): boolean {
  return (
    a.modifiable !== b.modifiable ||
    a.rolled !== b.rolled ||
    a.enabled !== b.enabled ||
    a.monitoringFrequency !== b.monitoringFrequency ||
    a.category !== b.category ||
    a.path !== b.path ||
    a.rolledFilenameRegexp !== b.rolledFilenameRegexp ||
    a.watchAttributes !== b.watchAttributes
  );
}

/** Only for unmodifiable files: the attributes of a modifiable file may change. */
const watchesAttributes = ({ modifiable, watchAttributes }: FileEntity): boolean =>
  !modifiable && watchAttributes === true;

/**
 * Returns the configuration of a device's agent (section 3 of the specification). `sentinelAddress` ends in /api/v1.
 * @param tellsAttributes true when the agent knows `attributes`; agents refuse unknown members
 */
export function agentConfiguration(
  device: DeviceEntity,
  apiKey: string,
  sentinelAddress: string,
  tellsAttributes = false,
): AgentConfiguration {
  const files = device.enabled && !device.deleted ? device.files.filter((file) => file.enabled) : [];
  return {
    orgId: device.orgId,
    devId: device.id,
    apiKey,
    healthInterval: device.healthInterval,
    workingDirectory: device.path,
    sentinelAddress,
    clearOrphanedProcesses: true,
    files: files.map((file) => ({
      id: file.id,
      path: file.path,
      type: file.monitoringFrequency,
      ...(file.monitoringFrequency === 'PROBE' ? { interval: file.interval ?? 1 } : {}),
      rolled: file.rolled,
      ...(file.rolled ? { rolledfilenameregexp: file.rolledFilenameRegexp ?? '' } : {}),
      modifiable: file.modifiable,
      ...(tellsAttributes && watchesAttributes(file) ? { attributes: true } : {}),
      data: file.type === 'TEXT' ? 'text' : 'binary',
    })),
  };
}
