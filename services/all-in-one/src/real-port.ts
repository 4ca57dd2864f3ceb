import { freePort, type Config } from '@sentinel-node/platform';

/**
 * Replaces port 0 by a free port before the services are created, because mails and agents' configurations contain the
 * address.
 * @throws Error of node:net when the host cannot be listened on
 */
export async function withRealPort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await freePort(config.host);
  // A configured address (a proxy in front) stays; an address derived from the port gets the new port.
  const publicUrl = config.publicUrl.replace(/:0$/, `:${port}`);
  return { ...config, port, publicUrl };
}
