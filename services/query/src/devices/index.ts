/** Devices, their files and the files' chains. Other features import from here. */
import type { Feature } from '../http/feature.ts';
import type { DeviceContext } from './device-context.ts';
import { chainRoute } from './chain-route.ts';
import { fileRoutes } from './file-routes.ts';
import { deviceRoutes } from './routes.ts';

export { addEnrolledDevice, checkTemplate } from './commands.ts';
export { configurationForMembers } from './configuration.ts';
export {
  contactInput,
  deviceExpiresAt,
  deviceStatus,
  fileExpiresAt,
  fileWaitsAt,
  lastContactOf,
  type ContactInput,
} from './contact.ts';
export { deviceContext, type DeviceContext } from './device-context.ts';
export {
  filePages,
  readContacts,
  STEP_DEVICES,
  statusesOfDevices,
  type DevicesHeard,
  type FileStatus,
} from './file-status.ts';
export { readExpirations, type Expirations } from './expirations.ts';
export { deviceOperations } from './operations.ts';
export { deviceItems, devicesOf, devicesHeard, fileItems } from './read-devices.ts';

export const devices: Feature<DeviceContext> = async (app, context) => {
  deviceRoutes(app, context);
  fileRoutes(app, context);
  chainRoute(app, context);
};
