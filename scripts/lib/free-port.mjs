/** Returns a port of this machine that nobody listens on now, for a program that must be told its port. Needs a build. */
export async function freePort() {
  const platform = await import('@sentinel-node/platform');
  return platform.freePort('127.0.0.1');
}
