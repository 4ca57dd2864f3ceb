import { writeFile } from 'node:fs/promises';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { DemoClient } from './client.ts';
import { DEMO_FILES, writeDemoFiles } from './files.ts';

export const DEMO_PERSON = { email: 'demo@example.org', name: 'Demo Admin' } as const;
const ORGANIZATION = 'Demo organization';
const DEVICE = 'This machine';
const HEALTH_INTERVAL_SECONDS = 10;

/**
 * Creates the organisation, the device with its files, and the agent's configuration over HTTP. Continues an interrupted
 * set-up, so that a repeated call is safe.
 * @param url URL of the server
 * @returns the configuration, also written to `configurationFile`
 */
export async function setUpDemo(
  url: string,
  filesFolder: string,
  configurationFile: string,
): Promise<AgentConfiguration> {
  await writeDemoFiles(filesFolder);
  const client = new DemoClient(url);
  const signedIn = await client.signIn(DEMO_PERSON.email, DEMO_PERSON.name);
  const orgId = signedIn.orgId ?? (await foundOrganization(client, signedIn.userId));
  const known = (await client.devices(orgId)).find((device) => device.name === DEVICE);
  const deviceId = known?.id ?? (await addDevice(client, orgId, filesFolder));
  if ((known?.filesCount ?? 0) === 0) {
    const files = DEMO_FILES.map(({ contents: _, ...file }) => file);
    await client.api('PUT', `/devices/files/${orgId}/${deviceId}`, { files });
  }
  const configuration = (await client.api(
    'GET',
    `/devices/config/${orgId}/${deviceId}`,
  )) as AgentConfiguration;
  await writeFile(configurationFile, `${JSON.stringify(configuration, undefined, 2)}\n`, { mode: 0o600 });
  await client.api('POST', '/logout');
  return configuration;
}

async function foundOrganization(client: DemoClient, userId: string): Promise<string> {
  await client.api('POST', '/orgs', {
    name: ORGANIZATION,
    userName: DEMO_PERSON.name,
    e2Id: userId,
    emailAddress: DEMO_PERSON.email,
  });
  await client.api('PUT', `/users/confirm/link/${await activationId(client)}`);
  const { orgId } = await client.session();
  if (orgId === null) throw new Error('the organization of the demonstration was not activated');
  return orgId;
}

/** Returns the id from the activation mail, which the outbox sends a moment after the call. */
async function activationId(client: DemoClient): Promise<string> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const messages = (await client.call('GET', '/dev-mail/messages')) as { to: string; links: string[] }[];
    const link = messages.find(({ to }) => to === DEMO_PERSON.email)?.links[0];
    const id = /\/user\/confirm\/([^/?#]+)/.exec(link ?? '')?.[1];
    if (id !== undefined) return id;
    if (Date.now() > deadline) throw new Error('the activation mail of the demonstration did not arrive');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function addDevice(client: DemoClient, orgId: string, path: string): Promise<string> {
  const { id } = (await client.api('POST', `/devices/${orgId}`, {
    name: DEVICE,
    description: 'The machine that runs this demonstration',
    path,
    healthInterval: HEALTH_INTERVAL_SECONDS,
    monitoring: true,
    category: 'MISSION_CRITICAL',
  })) as { id: string };
  return id;
}
