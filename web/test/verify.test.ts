/** The page that checks proofs, as a stranger uses it: on the console, offline, and saved as one file. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { SignedLog } from '@sentinel-node/test-kit/fakes';
import type { Page } from 'playwright-core';
import { violationsOf } from '@sentinel-node/test-kit/axe';
import {
  bundleNamed,
  EVIDENCE,
  fileOf,
  KNOWN_BLOCK,
  LEADING,
  RECORDED_NETWORK,
  sealedProof,
  tampered,
  type EvidenceFile,
} from './evidence.ts';
import { problem } from './mock-routes.ts';
import { consoleTest, until } from './support.ts';

const { bundle, proof, receipt, trust, headers, checkpoint, seals, sealedTrust, sealedHeaders } = EVIDENCE;
const SAVED = new URL('../../dist/verify.html', import.meta.url);
const stranger = { signedIn: false } as const;

const verdict = (page: Page) => page.getByRole('region', { name: 'Verdict' });
const head = (page: Page) => verdict(page).locator('.verdict');

async function choose(page: Page, label: string, files: EvidenceFile | EvidenceFile[]): Promise<void> {
  await page.getByLabel(label, { exact: true }).setInputFiles(files);
}

const ready = (page: Page): Promise<void> => page.locator('[data-part=ready]').waitFor();

async function openMore(page: Page): Promise<void> {
  const more = page.locator('details').filter({ hasText: 'Known block' });
  if ((await more.getAttribute('open')) === null) await more.locator('summary').click();
}

/** The network of the recorded blocks, of which no rules are known. */
async function giveNetwork(page: Page): Promise<void> {
  await openMore(page);
  await page.getByLabel('Network').fill(RECORDED_NETWORK);
}

async function giveKnownBlock(page: Page): Promise<void> {
  await giveNetwork(page);
  await page.getByLabel('Known block').fill(KNOWN_BLOCK);
}

/** All that makes a proof hold. */
async function giveSealed(page: Page, checked: EvidenceFile = EVIDENCE.sealedProof): Promise<void> {
  await choose(page, 'Proof', checked);
  await choose(page, 'Trust file', sealedTrust);
  await choose(page, 'Block headers', sealedHeaders);
  await choose(page, 'Seals', seals);
  await giveKnownBlock(page);
}

async function check(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await head(page).getByRole('heading', { name: title, exact: true }).waitFor();
}

const toneOf = (page: Page): Promise<string | null> => head(page).getAttribute('data-tone');

async function violations(page: Page): Promise<string[]> {
  return (await violationsOf(page)).map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 140)).join(' | ')}`,
  );
}

/** Errors of scripts and of the content security policy. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  return complaints;
}

consoleTest(
  'a proof holds without an account, without a network, and without a request',
  async ({ open }, t) => {
    const page = await open('/verify', stranger);
    const complaints = complaintsOf(page);
    await ready(page);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.context().setOffline(true);
    await verdict(page).getByText('No verdict yet').waitFor();
    await giveSealed(page);
    await check(page, 'HOLDS');
    t.equal(await toneOf(page), 'success');
    await verdict(page).getByText('exit code 0 of sentinel verify').waitFor();
    for (const code of ['SEALS', 'BLOCK', 'TIME'])
      t.equal(await verdict(page).locator(`[data-code=${code}]`).count(), 1);
    t.same(requests, [], 'no request since it was loaded');
    t.same(complaints, []);
    await page.getByRole('button', { name: 'Remove seals.ndjson' }).click();
    await verdict(page).getByText('No verdict yet').waitFor();
    t.equal(await head(page).count(), 0, 'a verdict ends with what it was of');
  },
);

consoleTest('what is not shown is never green, and says what to do', async ({ open }, t) => {
  const page = await open('/verify', stranger);
  await ready(page);
  await choose(page, 'Proof', proof);
  await choose(page, 'Trust file', trust);
  await check(page, 'NOT PUBLIC');
  t.equal(await toneOf(page), 'warning', 'a network that only the trust file names');
  await giveNetwork(page);
  await check(page, 'NO BLOCK KNOWN');
  t.equal(await toneOf(page), 'warning');
  await choose(page, 'Block headers', headers);
  await giveKnownBlock(page);
  await check(page, 'HOLDS, ONE LOG NOT SHOWN');
  t.equal(await toneOf(page), 'warning');
  await head(page).getByText('Add the seals of the log, a checkpoint that you kept').waitFor();
  await choose(page, 'Kept checkpoint', checkpoint);
  await check(page, 'HOLDS');
  t.equal(await toneOf(page), 'success');
  await choose(page, 'The watched file', fileOf('copy.log', 'something else'));
  await check(page, 'FAILS');
  t.equal(await toneOf(page), 'danger');
  await verdict(page).locator('[data-code=FILE]').getByText('copy.log has only 14 of').waitFor();
});

consoleTest(
  'a proof that was changed fails, and two that contradict each other are a conflict',
  async ({ open }, t) => {
    const page = await open('/verify', stranger);
    await ready(page);
    await giveSealed(page, fileOf('changed.json', tampered(sealedProof)));
    await check(page, 'FAILS');
    t.equal(await toneOf(page), 'danger');
    const fails = verdict(page).getByRole('list', { name: 'Fails' }).locator('li');
    t.same(await fails.evaluateAll((all) => all.map((one) => one.getAttribute('data-code'))), [
      'LINK_HASH_DIFFERS',
    ]);
    const other = await open('/verify', stranger);
    await choose(other, 'Proof', [proof, EVIDENCE.sealedProof]);
    await choose(other, 'Trust file', trust);
    await check(other, 'NOT PUBLIC');
    await verdict(other).locator('[data-code=TRANSACTIONS_DIFFER]').waitFor();
    await verdict(other).getByText('they are no evidence against the log.').waitFor();
    const log = new SignedLog();
    const signed = [sealedProof.entry, { ...sealedProof.entry, length: 1 }].map((entry, n) =>
      fileOf(`${n}.json`, log.cut(sealedProof.subject.id, entry)),
    );
    const forked = await open('/verify', stranger);
    await choose(forked, 'Proof', signed);
    await choose(forked, 'Trust file', fileOf('trust.json', log.trust));
    await check(forked, 'CONFLICT');
    t.equal(await toneOf(forked), 'danger');
    await verdict(forked).locator('[data-code=ENTRY_CONFLICT]').waitFor();
    const refused = await open('/verify', stranger);
    const sent = fileOf('b.json', { ...sealedProof, state: 'SENT', block: null });
    await choose(refused, 'Proof', [proof, sent]);
    await choose(refused, 'Trust file', trust);
    await check(refused, 'INCOMPLETE');
    await verdict(refused).locator('[data-code=TRANSACTION_REPLACED]').waitFor();
    t.equal(await verdict(refused).locator('[data-code=TRANSACTIONS_DIFFER]').count(), 0);
  },
);

const unusable: [label: string, file: EvidenceFile, said: RegExp][] = [
  [
    'Trust file',
    fileOf('photo.jpg', Buffer.from([0xff, 0xd8, 0xff, 0])),
    /photo\.jpg is no trust file: .*NOT_JSON/,
  ],
  ['Trust file', fileOf('big.json', ' '.repeat(70_000)), /TOO_LARGE: 64 KiB at most/],
  ['Block headers', fileOf('noise', Buffer.alloc(81, 7)), /are not headers of 80 bytes each/],
  ['Seals', fileOf('garbage', Buffer.alloc(3_000_000, 0xee)), /fail at the first line: TOO_LARGE/],
  ['Kept checkpoint', fileOf('note', 'x'.repeat(70_000)), /note is too large: 64 KiB at most/],
];

consoleTest('whatever cannot be used is told with its name and limit', async ({ open }, t) => {
  for (const [label, file, said] of unusable) {
    const page = await open('/verify', stranger);
    await ready(page);
    await choose(page, 'Proof', proof);
    await choose(page, 'Trust file', trust);
    await choose(page, label, file);
    if (label === 'Block headers') await giveKnownBlock(page);
    await check(page, 'NOT CHECKED');
    t.match(await head(page).innerText(), said);
  }
  const page = await open('/verify', stranger);
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await head(page).getByText('Choose the proof.').waitFor();
  await choose(page, 'Trust file', trust);
  for (const [content, code] of [
    [Buffer.alloc(3_000_000, 0x20), 'TOO_LARGE'],
    [Buffer.from([0, 159, 146, 150]), 'NOT_JSON'],
    [Buffer.alloc(0), 'NOT_JSON'],
  ] as const) {
    const name = `odd ${content.length}`;
    await choose(page, 'Proof', fileOf(name, content));
    await check(page, 'FAILS');
    await verdict(page).locator(`[data-code=${code}]`).waitFor();
    await page.getByRole('button', { name: `Remove ${name}` }).click();
  }
});

async function drop(page: Page, files: readonly EvidenceFile[]): Promise<void> {
  const dropped = files.map(({ name, buffer }) => ({ name, bytes: [...buffer] }));
  const transfer = await page.evaluateHandle((all) => {
    const data = new DataTransfer();
    for (const { name, bytes } of all) data.items.add(new File([new Uint8Array(bytes)], name));
    return data;
  }, dropped);
  await page.dispatchEvent('.drop-area', 'drop', { dataTransfer: transfer });
}

consoleTest('files dropped together are put where they belong', async ({ open }, t) => {
  const page = await open('/verify', stranger);
  await drop(page, [proof, trust, headers, checkpoint, fileOf('holiday.txt', 'sun')]);
  const sorted = page.getByRole('status', { name: 'Sorted files' });
  await sorted.getByText('holiday.txt is none of the files that this page knows').waitFor();
  for (const [kind, name] of [
    ['Proof', 'proof.json'],
    ['Trust file', 'trust.json'],
    ['Block headers', 'headers'],
    ['Kept checkpoint', 'checkpoint'],
  ] as const)
    await page
      .getByRole('list', { name: `Chosen: ${kind}` })
      .getByText(name, { exact: true })
      .waitFor();
  await giveKnownBlock(page);
  await check(page, 'HOLDS');
  t.equal(await toneOf(page), 'success');
});

consoleTest('a dropped bundle is checked as a whole history', async ({ open }, t) => {
  const page = await open('/verify', stranger);
  await ready(page);
  await drop(page, [bundle, trust, headers, checkpoint, ...LEADING]);
  const sorted = page.getByRole('status', { name: 'Sorted files' });
  await sorted.getByText(`${LEADING.at(-1)?.name}: Consistency proof`).waitFor();
  await giveKnownBlock(page);
  await check(page, 'HOLDS');
  t.equal(await toneOf(page), 'success');
  const found = page.getByRole('region', { name: 'Findings of bundle.json' });
  await found.getByText('entries 0 to 6 (GENESIS 1, BASELINE 1, LINK 1, BREAK 4)').waitFor();
  t.equal(await verdict(page).locator('[data-code=RANGE]').count(), 1);
  await verdict(page).getByText('exit code 0 of sentinel verify').waitFor();
  t.same(await violations(page), []);
  await choose(page, 'Proof', fileOf('waiting.json', bundleNamed('the last entries wait')));
  await check(page, 'INCOMPLETE');
  await head(page).getByText('4 of 18 entries still wait for their transaction or block.').waitFor();
  await page.getByRole('region', { name: 'Findings of waiting.json' }).waitFor();
  const pair = page.getByRole('region', { name: 'Proofs against each other' });
  await pair.getByText('1. bundle.json and 2. waiting.json: they do not contradict each other.').waitFor();
  t.same(await violations(page), []);

  const early = await open('/verify', stranger);
  await choose(early, 'Proof', fileOf('waiting.json', bundleNamed('the last entries wait')));
  await choose(early, 'Trust file', trust);
  await check(early, 'INCOMPLETE');
  await head(early)
    .getByText(/^4 of 11 entries still wait for their transaction or block\./)
    .waitFor();
});

consoleTest('a dropped receipt is checked, with the proof of its entry', async ({ open }, t) => {
  const page = await open('/verify', stranger);
  await ready(page);
  await drop(page, [receipt, trust]);
  await page.getByRole('list', { name: 'Chosen: Receipt' }).waitFor();
  await check(page, 'HOLDS');
  t.equal(await toneOf(page), 'success');
  await verdict(page).getByText('exit code 0 of sentinel receipt').waitFor();
  t.same(await violations(page), []);
  await drop(page, [proof]);
  await page.getByRole('list', { name: 'Chosen: Proof' }).waitFor();
  await check(page, 'HOLDS');
  await page.getByRole('button', { name: 'Remove proof.json' }).click();
  await choose(page, 'Proof', fileOf('changed.json', tampered(sealedProof)));
  await check(page, 'FAILS');
  const log = new SignedLog();
  const { entry, subject } = sealedProof;
  const { acceptedAt, reportHash } = entry;
  const broken = await open('/verify', stranger);
  await ready(broken);
  await drop(broken, [
    fileOf('receipt.json', log.receipt(subject.id, reportHash!, acceptedAt)),
    fileOf('trust.json', log.trust),
    fileOf('proof.json', log.cut(subject.id, { ...entry, acceptedAt: acceptedAt + 60_001 })),
  ]);
  await check(broken, 'BROKEN PROMISE');
  t.equal(await toneOf(broken), 'danger');
  t.same(await violations(broken), []);
});

for (const [width, dark] of [
  [1440, false],
  [390, true],
] as const)
  consoleTest(
    `the page has no fault of accessibility, ${width} px, ${dark ? 'dark' : 'light'}`,
    async ({ open }, t) => {
      const page = await open('/verify', { ...stranger, width, dark });
      await ready(page);
      t.same(await violations(page), [], 'before a check');
      await giveSealed(page);
      await check(page, 'HOLDS');
      t.same(await violations(page), [], 'with a verdict');
      await choose(page, 'Proof', fileOf('changed.json', tampered(sealedProof)));
      await check(page, 'FAILS');
      await verdict(page).locator('summary').click();
      t.same(await violations(page), [], 'with two proofs, one failing');
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      t.ok(overflow <= 0, `nothing is wider than the page: ${overflow} px`);
    },
  );

consoleTest('the keyboard alone is enough', async ({ open }, t) => {
  const page = await open('/verify', stranger);
  await ready(page);
  const chooser = page.waitForEvent('filechooser');
  await page.getByLabel('Proof', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(proof);
  await choose(page, 'Trust file', trust);
  await page.getByRole('button', { name: 'Check', exact: true }).focus();
  await page.keyboard.press('Enter');
  await head(page).getByRole('heading', { name: 'NOT PUBLIC' }).waitFor();
  await verdict(page).locator('[data-code=NETWORK_UNKNOWN]').waitFor();
  t.equal(await verdict(page).getAttribute('aria-live'), 'polite');
});

consoleTest('the saved page is the one whose hash is shown, and checks from a disk', async ({ open }, t) => {
  const served = await open('/verify', stranger);
  const html = await readFile(SAVED, 'utf8');
  await served.getByText(createHash('sha256').update(html).digest('hex')).waitFor();
  const link = served.getByRole('link', { name: 'Save this page' });
  t.equal(await link.getAttribute('download'), 'sentinel-verify.html');
  const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html) ?? [];
  t.match(
    policy,
    /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'$/,
  );
  const page = await served.context().newPage();
  const complaints = complaintsOf(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.context().setOffline(true);
  await page.goto(SAVED.href);
  await ready(page);
  await giveSealed(page);
  await check(page, 'HOLDS');
  t.equal(await toneOf(page), 'success');
  t.same(await violations(page), []);
  t.same(requests, [SAVED.href], `only ${fileURLToPath(SAVED)} was read`);
  t.same(complaints, []);
  const refused = await page.evaluate(() => fetch('http://127.0.0.1:9/').then(() => 'sent', String));
  t.match(refused, /TypeError/, 'it could not call anybody');
  await until(() => complaints.some((one) => one.includes('Content Security Policy')), 'by its policy');
});

consoleTest('whoever has the link of a shared alert checks it there', async ({ mock, open }, t) => {
  const id = mock.world.alerts[3]?.id ?? '';
  mock.overrides.set('GET /alerts/link/shared/proof/*', () => ({ status: 200, body: sealedProof }));
  const page = await open(`/share/alert/${id}`, stranger);
  await page.getByRole('heading', { name: 'Check this yourself' }).waitFor();
  t.same(await violations(page), []);
  await page.getByRole('button', { name: 'Get the proof and check it' }).click();
  await page.getByRole('list', { name: 'Chosen: Proof' }).getByText(`proof_${id}.json`).waitFor();
  const save = page.getByRole('button', { name: 'Save the proof' });
  t.ok(await save.evaluate((element) => element === document.activeElement), 'the focus stays');
  await ready(page);
  await choose(page, 'Trust file', sealedTrust);
  await giveNetwork(page);
  await check(page, 'NO BLOCK KNOWN');
  await choose(page, 'Block headers', sealedHeaders);
  await choose(page, 'Seals', seals);
  await giveKnownBlock(page);
  await check(page, 'HOLDS');
  t.same(await violations(page), []);
  const downloading = page.waitForEvent('download');
  await save.click();
  t.same(JSON.parse(await readFile(await (await downloading).path(), 'utf8')), sealedProof);
});

consoleTest(
  'a check that a visitor has begun outlives reads of the alert that fail',
  async ({ mock, open }, t) => {
    const { overrides } = mock;
    overrides.set('GET /alerts/link/shared/proof/*', () => ({ status: 200, body: sealedProof }));
    const page = await open('/login', stranger);
    await page.clock.install();
    await page.goto(`${mock.url}/share/alert/${mock.world.alerts[3]?.id}`);
    await page.getByRole('button', { name: 'Get the proof and check it' }).click();
    await ready(page);
    await choose(page, 'Trust file', sealedTrust);
    await giveNetwork(page);
    await check(page, 'NO BLOCK KNOWN');
    const isThere = async (when: string): Promise<void> => {
      for (const part of ['Chosen: Proof', 'Chosen: Trust file'])
        t.equal(await page.getByRole('list', { name: part }).count(), 1, `${part} ${when}`);
      t.equal(await head(page).getByRole('heading', { name: 'NO BLOCK KNOWN' }).count(), 1, when);
    };
    for (const [code, title] of [
      ['UNAVAILABLE', 'The alert cannot be shown'],
      ['NOT_FOUND', 'There is no shared alert here.'],
    ] as const) {
      overrides.set('GET /alerts/link/shared/data/*', () => problem(code));
      await page.clock.fastForward(30_000);
      await page.getByText(title).waitFor();
      t.equal(await page.getByText('Event request').count(), 0, 'the facts are not shown');
      await isThere(code);
    }
    overrides.delete('GET /alerts/link/shared/data/*');
    await page.clock.fastForward(30_000);
    await page.getByText('Event request').waitFor();
    await isThere('when the alert is back');
  },
);

consoleTest('a proof that cannot be had now can be asked for again', async ({ mock, open }) => {
  const page = await open(`/share/alert/${mock.world.alerts[3]?.id}`, stranger);
  await page.getByRole('button', { name: 'Get the proof and check it' }).click();
  await page.getByText('The proof could not be read').waitFor();
  mock.overrides.set('GET /alerts/link/shared/proof/*', () => ({ status: 200, body: sealedProof }));
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('list', { name: 'Chosen: Proof' }).waitFor();
});

consoleTest('a login in another tab leaves an open check as it is', async ({ mock, open }, t) => {
  const page = await open('/verify', stranger);
  await ready(page);
  await choose(page, 'Proof', proof);
  await choose(page, 'Trust file', trust);
  await giveNetwork(page);
  const given = page.getByLabel('Network');
  const other = await page.context().newPage();
  await other.goto(`${mock.url}/login`);
  const signIn = (): Promise<void> =>
    other.evaluate(() =>
      localStorage.setItem('sentinel.user', '{"token":"mock-token","email":"ada@example.org"}'),
    );
  let asked = 0;
  page.on('response', (response) => {
    if (response.url().endsWith('/api/v1/session')) asked += 1;
  });
  await page.route('**/api/v1/session', (route) => route.fulfill({ status: 503 }));
  await signIn();
  await until(() => asked === 1, 'the session is asked for');
  t.equal(await given.inputValue(), RECORDED_NETWORK, 'a failed login changes nothing');
  await page.unrouteAll();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByRole('button', { name: 'User menu' }).waitFor();
  t.equal(await given.inputValue(), RECORDED_NETWORK, 'and what was given stays');
});

consoleTest(
  'a proof that was not complete is fetched anew, and what was given stays',
  async ({ mock, open }, t) => {
    const id = mock.world.alerts[3]?.id ?? '';
    const early = { ...sealedProof, block: null };
    mock.overrides.set('GET /alerts/link/shared/proof/*', () => ({ status: 200, body: early }));
    const page = await open(`/share/alert/${id}`, stranger);
    await page.getByRole('button', { name: 'Get the proof and check it' }).click();
    await page
      .getByText('The proof is not complete yet: get it anew when its entry is in a block.')
      .waitFor();
    await ready(page);
    await choose(page, 'Trust file', sealedTrust);
    await choose(page, 'Block headers', sealedHeaders);
    await choose(page, 'Seals', seals);
    await giveKnownBlock(page);
    mock.overrides.set('GET /alerts/link/shared/proof/*', () => ({ status: 200, body: sealedProof }));
    const anew = page.getByRole('button', { name: 'Get the proof anew' });
    await anew.click();
    await page.getByText('The proof is not complete yet').waitFor({ state: 'detached' });
    t.ok(await anew.evaluate((element) => element === document.activeElement), 'the focus stays');
    t.equal(await page.getByRole('list', { name: 'Chosen: Proof' }).getByRole('listitem').count(), 1);
    await check(page, 'HOLDS');
    await anew.click();
    await until(async () => (await anew.getAttribute('aria-busy')) === null, 'read again');
    await verdict(page).getByText('HOLDS').first().waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save the proof' }).click();
    const saved = await (await downloading).path();
    t.same(JSON.parse(await readFile(saved, 'utf8')), sealedProof);
  },
);
