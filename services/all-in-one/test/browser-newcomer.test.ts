/** Tests the console with a new person: an organisation, a device, and the real agent on its files. */
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seesAlert } from './browser-alerts.ts';
import {
  addsDevice,
  downloadsConfiguration,
  foundsOrganization,
  seesAgentShutOut,
  startsAgent,
  watchedFolder,
} from './browser-newcomer.ts';
import { confirmAtWallet, fillWallet, isLive } from './browser-sign-in.ts';
import { journey } from './browser-stage.ts';
import { Person } from './support/client.ts';
import { startedSystem, SUITE_ENV, SUITE_INTERVAL_SECONDS } from './support/system.ts';

const GRACE = { email: 'grace@example.org', name: 'Grace Hopper', organization: 'Compilers & Sons' };
const FILES = [
  { name: 'Accounts', path: 'accounts.txt', frequency: 'Interval', editable: 'No' },
  { name: 'Build log', path: 'build.log', frequency: 'Continuous', editable: 'Yes' },
] as const;

journey('a new person in a browser', startedSystem, SUITE_ENV, async (stage) => {
  const origin = stage.node.url.replace('//127.0.0.1', '//localhost');
  const grace = await stage.visitor();

  await stage.part(
    'a new person founds an organisation [S1.2] [S2.1] [S2.2] [S2.10] [S2.16] [S2.17] [S2.18]',
    async (t) => {
      await foundsOrganization(t, grace, GRACE, origin);
      await grace.button('Log in with e2wallet').click();
      await grace.heading('Development wallet').or(grace.heading('Dashboard')).first().waitFor();
      if (grace.page.url().includes('/dev-wallet')) {
        await fillWallet(grace, GRACE.email, GRACE.name);
        await confirmAtWallet(t, grace, '/dashboard');
      }
      await isLive(grace);
      await grace.page.getByText('There are no added devices yet').waitFor();
      await grace.page.getByText('There are no events.').waitFor();
      await grace.accessible(t, 'empty dashboard');
      await grace.visit('Users management');
      await grace.page.getByText(`${GRACE.name} (you)`).waitFor();
      await grace.accessible(t, 'users');
    },
  );

  await stage.part('adds a device and starts the agent on it [S2.38] [S9.12]', async (t) => {
    const watched = await watchedFolder(t, FILES);
    const category = `Mission critical [${SUITE_INTERVAL_SECONDS} sec.]`;
    await addsDevice(t, grace, { name: 'Build server', path: watched, category }, FILES);
    await grace.page.getByText('Waiting for the first contact').first().waitFor();
    const { documents } = grace;
    const configuration = await downloadsConfiguration(t, grace, 'Build server');
    const agent = startsAgent(t, configuration);
    await grace.page
      .getByText('In contact', { exact: true })
      .nth(FILES.length - 1)
      .waitFor();
    t.equal(grace.documents, documents, 'without a reload');
    const [accounts, buildLog] = FILES;
    await seesAlert(t, grace, { alert: 'Unexpected change', file: accounts.name }, () =>
      appendFile(join(watched, accounts.path), 'more\n'),
    );
    await grace.page.getByText('1 active alert', { exact: true }).waitFor();
    const { orgId, devId } = JSON.parse(await readFile(configuration, 'utf8'));
    const person = new Person(stage.node, GRACE.email, GRACE.name);
    await person.signIn();
    await seesAgentShutOut(t, grace, {
      device: 'Build server',
      configuration,
      endKey: () => person.done('POST', `/devices/key/${orgId}/${devId}`, { now: true }),
      change: () => appendFile(join(watched, buildLog.path), 'more\n'),
    });
    agent.process.kill('SIGTERM');
    t.equal((await agent.ended).code, 0, 'the agent stops when it is told to');
  });
});
