/**
 * Tests that a stranger with a share link can check the alert's proof: on its page, and with the saved page
 * without any server.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Download, Page } from 'playwright-core';
import root, { type Test } from 'tap';
import type { ChainEntry, Link, Proof } from '@sentinel-node/contracts';
import { journey } from './browser-stage.ts';
import type { Visitor } from './browser-visitor.ts';
import { runChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { SENTINEL, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { linksOnce, raisedOn, sceneOn, turnOff } from './support/scene.ts';
import { until } from './support/until.ts';

const CONTENT = 'second';

interface Evidence {
  readonly folder: string;
  /** HEIGHT:HASH of the block before the first header. */
  readonly after: string;
  readonly verify: (...args: string[]) => Promise<{ code: number | null; stdout: string }>;
}

/** Writes the files that the operator gives a checker apart from the link. */
async function evidenceOf(t: Test, dataDir: string): Promise<Evidence> {
  // A folder of the whole test, because later parts use the files too.
  const folder = temporaryFolder(root);
  const sentinel = (...args: string[]) => runChild(root, [SENTINEL, ...args]);
  for (const name of ['trust', 'seals']) {
    const { code, stdout, stderr } = await sentinel(name, '--data', dataDir);
    t.equal(code, 0, stderr);
    await writeFile(join(folder, name), stdout);
  }
  const headers = join(folder, 'headers');
  const { stderr } = await sentinel('headers', headers, '--data', dataDir);
  const after = /--after (\d+:[0-9a-f]{64})/.exec(stderr)?.[1] ?? '';
  await writeFile(join(folder, 'copy'), `${CONTENT}, and more`);
  const verify = (...args: string[]) => sentinel('verify', ...args);
  return { folder, after, verify };
}

const choose = (page: Page, label: string, path: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).setInputFiles(path);

/** Gives the page everything except the proof and starts the check. @returns the result as text */
async function checkHere({ page }: Visitor, { after, folder }: Evidence, title: string): Promise<string> {
  await page.locator('[data-part=ready]').waitFor();
  await choose(page, 'Trust file', join(folder, 'trust'));
  await choose(page, 'Seals', join(folder, 'seals'));
  await choose(page, 'Block headers', join(folder, 'headers'));
  await choose(page, 'The watched file', join(folder, 'copy'));
  await page.locator('summary').filter({ hasText: 'More' }).click();
  await page.getByLabel('Known block').fill(after);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  const verdict = page.getByRole('region', { name: 'Verdict' });
  await verdict.getByRole('heading', { name: title, exact: true }).waitFor();
  if (requests.length > 0) throw new Error(`asked for ${requests.join(' ')} while checking`);
  const text = verdict.getByLabel('Result as text');
  return (await text.textContent()) ?? '';
}

async function saved(page: Page, act: () => Promise<void>): Promise<Download> {
  const downloading = page.waitForEvent('download');
  await act();
  return downloading;
}

const options = ({ after, folder }: Evidence): string[] => [
  ...['--trust', join(folder, 'trust'), '--seals', join(folder, 'seals')],
  ...['--headers', join(folder, 'headers'), '--after', after],
];

/** Returns the text without the watched file's folder, which differs. */
const withoutNames = (printed: string): string => printed.replaceAll(/ of \S*copy/g, ' of copy');

const environment = { SENTINEL_INTERVAL_MISSION_CRITICAL: '4' };
journey('a stranger checks a shared alert', startedNode, environment, async (stage) => {
  let evidence: Evidence;
  let link = '';
  const stranger = await stage.visitor();
  const { page } = stranger;
  const { node } = stage;
  let proofPath = '';
  let folderOfSaved = '';

  await stage.part('an alert is raised, handled, shared, and anchored', async (t) => {
    const { admin, agent, files, stream } = await sceneOn(t, node, { ledger: {} });
    const fileId = files['ledger'] ?? '';
    await agent.report(fileId, 'FIRST', version('first'));
    await agent.report(fileId, 'REPLACED', version('broken'), version(CONTENT));
    const alert = await raisedOn(stream, fileId, 'HASH_BREACH');
    await turnOff(admin, alert, 'DEACTIVATED');
    await linksOnce(agent, fileId, 2);
    const chain = async (): Promise<{ links: Link[]; entries: ChainEntry[] }> => {
      const read = await admin.done('PUT', `/files/chain/${agent.path}/${fileId}`, { before: 500 });
      return { links: read['links'] as Link[], entries: read['entries'] as ChainEntry[] };
    };
    const { links, entries } = await until('the handling is in the chain', async () => {
      const read = await chain();
      return read.entries.some(({ kind }) => kind === 'RESET') ? read : undefined;
    });
    const all = [...links, ...entries].sort((a, b) => a.number - b.number);
    t.same(
      all.map(({ number }) => number),
      all.map((_, at) => at),
      'no number of the chain is left out',
    );
    t.ok(entries.some(({ kind, number }) => kind === 'GENESIS' && number === 0));
    const proofOf = (id: string): Promise<Proof> =>
      until('a proof with a block', async () => {
        const proof = (await admin.done('GET', `/proofs/${agent.path}/${fileId}/${id}`)) as Proof;
        return proof.state === 'MINED' ? proof : undefined;
      });
    const proofs = await Promise.all(entries.map(({ id }) => proofOf(id)));
    await Promise.all(links.map(({ id }) => proofOf(id)));
    evidence = await evidenceOf(t, node.dataDir);
    for (const proof of proofs) {
      const { kind, number } = proof.entry;
      const path = join(evidence.folder, `${kind}.json`);
      await writeFile(path, JSON.stringify(proof));
      const { stdout } = await evidence.verify(path, ...options(evidence));
      t.match(stdout, new RegExp(`, entry ${number} \\(${kind}[ )]`), `${kind} is named`);
      t.notMatch(stdout, 'FAILS');
    }
    await admin.done('POST', `/alerts/share/${agent.path}/${alert.id}`, {
      sharedEmailAddresses: ['erin@example.com'],
    });
    link = `${node.url}/share/alert/${alert.id}`;
  });

  await stage.part('on the page of the alert, as the command says it', async (t) => {
    await page.goto(link);
    await stranger.heading('Shared alert').waitFor();
    await stranger.button('Get the proof and check it').click();
    await page.getByRole('list', { name: 'Chosen: Proof' }).waitFor();
    const printed = await checkHere(stranger, evidence, 'NOT PUBLIC');
    await stranger.accessible(t, 'a checked alert');
    t.equal(
      await page.locator('.verdict').getAttribute('data-tone'),
      'warning',
      'a development ledger is never green',
    );
    const download = await saved(page, () => stranger.button('Save the proof').click());
    proofPath = join(evidence.folder, download.suggestedFilename());
    await download.saveAs(proofPath);
    const command = await evidence.verify(
      proofPath,
      ...options(evidence),
      '--file',
      join(evidence.folder, 'copy'),
    );
    t.equal(command.code, 3);
    t.equal(withoutNames(printed), withoutNames(command.stdout));
    t.match(printed, /holds {4}SEALS: [^]*holds {4}BLOCK: [^]*FILE: The first/);
  });

  await stage.part('the page is saved, and its hash is the one shown', async (t) => {
    await page.getByRole('link', { name: 'saved page' }).click();
    await stranger.heading('Check a proof').waitFor();
    await stranger.accessible(t, 'the page that checks');
    const download = await saved(page, () => page.getByRole('link', { name: 'Save this page' }).click());
    t.equal(download.suggestedFilename(), 'sentinel-verify.html');
    folderOfSaved = join(evidence.folder, 'sentinel-verify.html');
    await download.saveAs(folderOfSaved);
    const hash = createHash('sha256')
      .update(await readFile(folderOfSaved))
      .digest('hex');
    await page.getByText(hash, { exact: true }).waitFor();
    const answer = await fetch(`${node.url}/verify.html`);
    t.match(answer.headers.get('content-disposition'), 'attachment');
  });

  await stage.part('from the disk, without a server, it says the same', async (t) => {
    await node.stop();
    const offline = await stage.visitor({ width: 390, dark: true });
    await offline.page.context().setOffline(true);
    await offline.page.goto(pathToFileURL(folderOfSaved).href);
    await choose(offline.page, 'Proof', proofPath);
    t.match(await checkHere(offline, evidence, 'NOT PUBLIC'), /holds {4}SEALS: /);
    await offline.accessible(t, 'the saved page');

    const proof = JSON.parse(await readFile(proofPath, 'utf8')) as Proof;
    const bad = join(evidence.folder, 'tampered.json');
    const acceptedAt = proof.entry.acceptedAt - 60_000;
    await writeFile(bad, JSON.stringify({ ...proof, entry: { ...proof.entry, acceptedAt } }));
    await offline.page.reload();
    await choose(offline.page, 'Proof', bad);
    const printed = await checkHere(offline, evidence, 'FAILS');
    const command = await evidence.verify(bad, ...options(evidence), '--file', join(evidence.folder, 'copy'));
    t.equal(command.code, 1);
    t.match(printed, /FAILS {4}LINK_HASH_DIFFERS/);
    t.equal(withoutNames(printed), withoutNames(command.stdout));
  });
});
