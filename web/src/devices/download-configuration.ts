import { TURNING } from '@sentinel-node/contracts';
import type { Device } from '../answers.ts';
import { isCode } from '../api/errors.ts';
import { saveFile } from '../download.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';

/** Returns the file's name, without characters that file systems refuse, or that turn the order of what follows. */
export const configurationName = ({ name }: Pick<Device, 'name'>): string =>
  // oxlint-disable-next-line no-control-regex -- a name may hold them
  `${name.replace(/[\\/:*?"<>|\u0000-\u001f]/g, '_').replace(TURNING, '_')}_configuration.json`;

/** Saves a device's configuration. Resolves with false after a failure, which a notice reports. */
export async function downloadConfiguration(orgId: string, device: Device): Promise<boolean> {
  try {
    const configuration = await api().getConfiguration(orgId, device.id);
    const text = JSON.stringify(configuration, null, 2);
    saveFile(configurationName(device), new Blob([text], { type: 'application/json' }));
    return true;
  } catch (error) {
    if (!isCode(error, 'UNAUTHENTICATED'))
      notify({ tone: 'danger', title: 'Error!', text: messageOf(error) });
    return false;
  }
}

/** Returns the command that runs an agent with the configuration, for a POSIX shell. */
export const startCommand = (device: Pick<Device, 'name'>): string =>
  `sentinel agent --config '${configurationName(device).replaceAll("'", String.raw`'\''`)}'`;
