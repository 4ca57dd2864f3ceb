/**
 * Steps of a new person, from the first sign-in to an organisation, a device, and the agent that watches its
 * files.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { confirmAtWallet, fillWallet, toWallet } from './browser-sign-in.ts';
import type { Visitor } from './browser-visitor.ts';
import { startChild, type Child } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { SENTINEL } from './support/node.ts';

export interface Newcomer {
  readonly email: string;
  readonly name: string;
  readonly organization: string;
}

/** Signs in without an organisation, creates one, and follows the activation link in the mail. */
export async function foundsOrganization(
  t: Test,
  visitor: Visitor,
  { email, name, organization }: Newcomer,
  origin: string,
): Promise<void> {
  const { page } = visitor;
  await page.goto(origin);
  await page.waitForURL('**/login');
  await visitor.accessible(t, 'login');
  await toWallet(t, visitor);
  await fillWallet(visitor, email, name);
  await confirmAtWallet(t, visitor, '/login/info');
  await page.getByText('You are not assigned to any organization yet.').waitFor();
  await page.getByText('Create one, or wait until an administrator of yours assigns you.').waitFor();
  t.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 0, 'no navigation without one');
  t.equal(await visitor.button('Open navigation').count(), 0, 'and no hamburger');
  await visitor.accessible(t, 'login info');
  await page.goto(`${origin}/dashboard`);
  await page.waitForURL('**/login/info');
  await page.getByRole('link', { name: 'Create organization' }).click();
  await page.waitForURL('**/define-organization');
  t.equal(await page.getByLabel('E-mail').inputValue(), email, 'prefilled');
  const create = visitor.button('Create organization');
  t.ok(await create.isDisabled(), 'not while a field is missing');
  await page.getByLabel('Full name').fill(name);
  await page.getByLabel('Organization name').fill(organization);
  await visitor.accessible(t, 'define organization');
  await create.click();
  await page.waitForURL('**/define-organization/success');
  await page.getByText('Organization has been created. Activation link has been sent.').waitFor();
  await visitor.accessible(t, 'organization success');
  await followActivationLink(t, visitor, email, origin);
}

/** Opens the page again until the mail is there, because mail leaves through an outbox. */
async function followActivationLink(t: Test, visitor: Visitor, email: string, origin: string): Promise<void> {
  const { page } = visitor;
  const mail = page.getByRole('article').filter({ hasText: email });
  const link = mail.getByRole('link', { name: /\/user\/confirm\// });
  do await page.goto(`${origin}/dev-mail`);
  while ((await link.count()) === 0);
  await visitor.accessible(t, 'mail');
  await link.first().click();
  await page.getByText('Your account has been activated!').waitFor();
  await visitor.button('Log in with e2wallet').waitFor();
}

export interface DeviceFile {
  readonly name: string;
  readonly path: string;
  readonly frequency: 'Interval' | 'Continuous';
  readonly editable: 'Yes' | 'No';
}

/** Adds a device and files with the forms; ends on the device's page. */
export async function addsDevice(
  t: Test,
  visitor: Visitor,
  device: { readonly name: string; readonly path: string; readonly category: string },
  files: readonly DeviceFile[],
): Promise<void> {
  const { page } = visitor;
  await visitor.visit('Devices');
  await page.getByText('There are no devices added yet.').waitFor();
  await page.getByRole('link', { name: 'Add device' }).first().click();
  await page.waitForURL('**/add-device');
  await page.getByLabel('Device name').fill(device.name);
  await page.getByLabel('Device path').fill(device.path);
  await page.getByLabel('Device category').selectOption({ label: device.category });
  await visitor.accessible(t, 'add device');
  await visitor.button('Add device').click();
  await page.waitForURL('**/devices');
  await page.getByText('New device was added successfully!').waitFor();
  await page.getByText(`Do you want to add files to ${device.name} device?`).waitFor();
  await visitor.accessible(t, 'devices');
  await visitor.button('Add files').click();
  await visitor.heading('Adding files').waitFor();
  for (const [index, file] of files.entries()) {
    if (index > 0) await visitor.button('Add another file +').click();
    const group = page.getByRole('group', { name: `File ${index + 1}` });
    await group.getByLabel('File name').fill(file.name);
    await group.getByLabel('File type').selectOption({ label: 'Text' });
    await group.getByLabel('File path').fill(file.path);
    await group.getByLabel('Monitoring frequency').selectOption({ label: file.frequency });
    await group.getByLabel('Is file editable').selectOption({ label: file.editable });
    await group.getByLabel('Is file rolled').selectOption({ label: 'No' });
  }
  if (files.length > 1)
    await page
      .getByText('Delete -', { exact: true })
      .nth(files.length - 1)
      .waitFor();
  await visitor.accessible(t, 'add files');
  await visitor.button('Add files').click();
  await page.getByText(`${files.length} files have been added to this device.`).waitFor();
  await visitor.heading(device.name).waitFor();
}

/** Downloads the configuration from the device's page. @returns the path of the file */
export async function downloadsConfiguration(t: Test, visitor: Visitor, device: string): Promise<string> {
  const arriving = visitor.page.waitForEvent('download');
  await visitor.button('Configuration').click();
  const download = await arriving;
  t.equal(download.suggestedFilename(), `${device}_configuration.json`);
  const path = join(temporaryFolder(t), download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

/** Makes a folder with the files to watch. */
export async function watchedFolder(t: Test, files: readonly DeviceFile[]): Promise<string> {
  const folder = join(temporaryFolder(t), 'watched');
  await mkdir(folder);
  for (const file of files) await writeFile(join(folder, file.path), `${file.name} begins\n`);
  return folder;
}

/** Starts the agent in its own process, as a person does on the device. */
export const startsAgent = (t: Test, configuration: string): Child =>
  startChild(t, [SENTINEL, 'agent', '--config', configuration, '--state', temporaryFolder(t)], {});

interface Shutting {
  readonly device: string;
  /** Configuration file of the running agent. */
  readonly configuration: string;
  /** Ends the device's key at once. */
  readonly endKey: () => Promise<unknown>;
  /** Changes a watched file. */
  readonly change: () => Promise<void>;
}

/**
 * Checks that an ended key shuts the agent out: the device's page and the list say so until the agent has the
 * new configuration.
 */
export async function seesAgentShutOut(
  t: Test,
  visitor: Visitor,
  { device, configuration, endKey, change }: Shutting,
): Promise<void> {
  const { page, documents } = visitor;
  const notice = page.getByRole('status').filter({ hasText: 'The agent is shut out!' });
  t.equal(await notice.count(), 0);
  await endKey();
  await change();
  await notice.getByText('Download the configuration again').waitFor();
  await visitor.accessible(t, 'an agent that is shut out');
  await visitor.visit('Devices');
  const row = page.getByRole('row').filter({ hasText: device });
  await row.getByText('Agent shut out', { exact: true }).waitFor();
  await visitor.accessible(t, 'the list with an agent that is shut out');
  await row.click();
  await notice.waitFor();
  await copyFile(await downloadsConfiguration(t, visitor, device), configuration);
  await notice.waitFor({ state: 'detached' });
  t.equal(visitor.documents, documents, 'without a reload');
}
