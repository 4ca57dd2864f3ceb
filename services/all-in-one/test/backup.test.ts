/**
 * Tests `sentinel backup` and `sentinel restore` on the embedded store: the restored log is the same and
 * continues.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { BackupManifest, Link } from '@sentinel-node/contracts';
import {
  openDataFolder,
  openEmbeddedDocumentStore,
  replacedBy,
  type DocumentStore,
} from '@sentinel-node/platform';
import { VIEW_COLLECTIONS, VIEWS } from '@sentinel-node/query';
import { NOT_VIEWS } from '../src/not-views.ts';
import { audit, auditIsClean } from './support/audit.ts';
import { changeCollection, manifestIn, writeUnsigned } from './support/backup-folder.ts';
import { runChild, startChild } from './support/child.ts';
import { temporaryFolder } from './support/folder.ts';
import { Node, QUIET, RUN, SENTINEL } from './support/node.ts';
import { version } from './support/reporter.ts';
import { anchoredLinks, historyOn, linksOf, linksOnce, shown } from './support/scene.ts';
import { SECRET } from './support/secret.ts';
import { FILE_MS, until } from './support/until.ts';

function sentinel(t: Test, env: Readonly<Record<string, string>>, ...args: string[]) {
  return runChild(t, [SENTINEL, ...args], { SENTINEL_SECRET: SECRET, ...env });
}

const filesIn = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder).sort() : []);

type Named = Partial<BackupManifest['collections'][number] & BackupManifest['partitions'][number]> & {
  readonly file: string;
};

/** Kills a restore when documents and log are there, and views are not. */
const KILLED_AT_VIEWS = new URL('support/preload-killed.js', import.meta.url).href;

/** Returns the links without the depth of their transaction, which grows by itself. */
const settled = (links: readonly Link[]) =>
  links.map(({ anchor, ...link }) => ({ ...link, batch: anchor.batch }));

interface LedgerLine {
  readonly id: string;
  readonly spender?: string;
  readonly txids?: readonly string[];
}

/** Returns a copy of the backup whose development ledger is of the moment before the first anchor. */
function withEarlierLedger(t: Test, folder: string): string {
  const copy = join(temporaryFolder(t), 'copy');
  cpSync(folder, copy, { recursive: true });
  const manifest = manifestIn(copy);
  const linesOf = (name: string): string[] => {
    const { file } = manifest.collections.find((one) => one.name === name)!;
    return gunzipSync(readFileSync(join(copy, file))).toString().trim().split('\n'); // prettier-ignore
  };
  const gone = new Set(
    linesOf('anchor_transactions').map(
      (line) => (JSON.parse(line) as { record: { transaction: { txid: string } } }).record.transaction.txid,
    ),
  );
  for (const line of linesOf('clock_marks')) {
    const { txids = [] } = JSON.parse(line) as LedgerLine;
    if (txids.some((txid) => gone.has(txid))) for (const txid of txids) gone.add(txid);
  }
  const isKept = (line: string): boolean => {
    const { id, spender = id, txids = [] } = JSON.parse(line) as LedgerLine;
    return ![spender, ...txids].some((txid) => gone.has(txid));
  };
  const collections = manifest.collections.map((one) => {
    if (!one.name.startsWith('dev_ledger_')) return one;
    const kept = linesOf(one.name).filter(isKept);
    const bytes = gzipSync(kept.map((line) => `${line}\n`).join(''));
    writeFileSync(join(copy, one.file), bytes);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return { ...one, lines: kept.length, bytes: bytes.length, sha256 };
  });
  writeUnsigned(copy, { ...manifest, collections });
  return copy;
}

const FIRST_CONTACT = Date.UTC(2020, 0, 1);

/** Returns the first contacts of devices (ms). @param at sets them, as if the log had lost the heartbeats of then */
async function firstContactsAt(dataDir: string, at?: number): Promise<number[]> {
  const folder = openDataFolder(dataDir);
  const store = await openEmbeddedDocumentStore({ folder });
  const found: number[] = [];
  for await (const page of store.scan(VIEWS.deviceFirstContacts)) {
    if (at !== undefined)
      await store.bulkUpsert(
        VIEWS.deviceFirstContacts,
        page.map((one) => ({ ...one, rev: -at })),
      );
    found.push(...page.map(({ rev }) => -rev));
  }
  await store.close();
  folder.release();
  return found;
}

t.setTimeout(FILE_MS);
t.test('backup and restore', { timeout: FILE_MS }, async (t) => {
  const env = { SENTINEL_INTERVAL_MISSION_CRITICAL: '1', SENTINEL_SECRET: SECRET };
  const node = new Node(t, env);
  await node.start();
  const { admin, agent, one } = await historyOn(t, node);
  const anchored = await anchoredLinks(agent, one);
  const folder = join(temporaryFolder(t), 'backup');
  const backup = (t: Test, ...args: string[]) =>
    sentinel(t, {}, 'backup', ...args, '--data', node.dataDir, '--json');

  await t.test('a running system is refused', async (t) => {
    const { code, stderr } = await backup(t, folder);
    t.equal(code, 1);
    t.match(stderr, /^sentinel backup: another process uses the data folder/);
  });
  await node.stop();
  const before = await auditIsClean(t, node.dataDir, { SENTINEL_SECRET: SECRET });

  await t.test('every collection that a system makes is a view or listed as none', async (t) => {
    const folder = openDataFolder(node.dataDir);
    const store = await openEmbeddedDocumentStore({ folder });
    const names = (await store.collections()).filter((name) => replacedBy(name) === undefined);
    await store.close();
    folder.release();
    const listed = new Set([
      ...VIEW_COLLECTIONS.map(({ name }) => name),
      ...NOT_VIEWS.map(({ spec }) => spec.name),
    ]);
    t.ok(names.length > 25);
    t.strictSame(
      names.filter((name) => !listed.has(name)),
      [],
      'nobody says what they are',
    );
    t.equal(listed.size, VIEW_COLLECTIONS.length + NOT_VIEWS.length, 'none is listed twice');
  });

  await firstContactsAt(node.dataDir, FIRST_CONTACT);
  const { code, stdout, stderr } = await backup(t, folder);
  t.equal(code, 0, stderr);
  const manifest = JSON.parse(stdout) as BackupManifest;
  const lines = (name: string) => manifest.collections.find((one) => one.name === name)?.lines ?? 0;
  t.ok(lines('streams') > 2 && lines('claims') === 1 && lines('cuts') > 0 && lines('reservations') > 0);
  t.equal(lines('sessions'), 0);
  t.strictSame(readdirSync(folder).sort(), ['documents', 'log', 'manifest.json', 'manifest.sig']);

  const restore = (t: Test, dataDir: string, from = folder, more: Readonly<Record<string, string>> = {}) =>
    sentinel(t, more, 'restore', from, '--data', dataDir);

  await t.test('what is restored is the same, and goes on', async (t) => {
    const restored = new Node(t, env);
    const { code, stdout, stderr } = await restore(t, restored.dataDir);
    t.equal(code, 0, stderr);
    t.match(
      stdout,
      /^restored: the backup of \S+: \d+ documents of \d+ collections, \d+ records of the log\n$/,
    );
    t.ok(stdout.includes(manifest.madeAt));
    t.notMatch(stderr, /not signed/);
    t.match(
      stderr,
      /: the backup has nothing of \S.*: they were empty, or the version that made it did not know them, and then/,
    );
    t.match(await auditIsClean(t, restored.dataDir, { SENTINEL_SECRET: SECRET }), before);
    const first = await firstContactsAt(restored.dataDir);
    t.ok(first.length > 0 && first.every((at) => at === FIRST_CONTACT), 'the log has later heartbeats only');
    await restored.start();
    await Object.assign(admin, { server: restored }).signIn();
    t.strictSame(settled(await linksOf(agent, one)), settled(anchored), 'links and their transactions');
    await agent.report(one, 'REPLACED', version('c'), version('d'));
    const links = await linksOnce(agent, one, 4);
    t.equal(shown(links)[0]!.hash, version('d').hash);
    await until('an anchored link', async () => ((await linksOf(agent, one))[0]?.bsvId ? true : undefined));
    await restored.stop();
    const after = await auditIsClean(t, restored.dataDir, { SENTINEL_SECRET: SECRET });
    t.ok(after.batches > before.batches);
    t.equal(after.judged, before.judged + 1);
  });

  await t.test(
    'what a ledger of an earlier moment lacks, as of a working system, is sent again',
    async (t) => {
      const target = temporaryFolder(t);
      const { code, stderr } = await restore(t, target, withEarlierLedger(t, folder));
      t.equal(code, 0, stderr);
      t.match(stderr, /: development ledger: [1-9]\d* later transactions sent again\n/);
      await auditIsClean(t, target, { SENTINEL_SECRET: SECRET });
    },
  );

  await t.test(
    'a backup of which somebody changed a line and computed everything anew is refused by its signature',
    async (t) => {
      const copy = join(temporaryFolder(t), 'copy');
      cpSync(folder, copy, { recursive: true });
      const changed = changeCollection(copy, 'reservations', admin.email, 'eve@example.org');
      t.notMatch(changed, manifest);
      const target = temporaryFolder(t);
      const refused = /manifest\.sig is not the signature of this manifest by the key of the log: .*\n$/;
      t.match(await restore(t, target, copy), { code: 1, stderr: refused });
      writeFileSync(join(copy, 'manifest.sig'), `${'0'.repeat(128)}\n`);
      t.match(await restore(t, target, copy), { code: 1, stderr: refused });
      writeFileSync(join(copy, 'manifest.sig'), 'none');
      t.match(await restore(t, target, copy), { code: 1, stderr: refused });
      t.strictSame(filesIn(target), [], 'nothing was begun');
      // What it cannot refuse, it says; the audit finds the change.
      writeUnsigned(copy, changed);
      const { code, stderr } = await restore(t, target, copy);
      t.equal(code, 0, stderr);
      t.match(
        stderr,
        /^sentinel restore: the backup is not signed: a version before signatures made it, or/m,
      );
      const { findings } = await audit(t, target, { SENTINEL_SECRET: SECRET });
      t.match(
        findings.join('\n'),
        new RegExp(`^reservations: email:${admin.email}, of user .*: is not reserved$`, 'm'),
      );
    },
  );

  await t.test('a folder where none can be made takes no backup', async (t) => {
    if (process.platform !== 'linux') return t.pass('there is no /proc');
    const { code, stderr } = await backup(t, '/proc/none/backup');
    t.equal(code, 1);
    t.match(stderr, /^sentinel backup: the folder \/proc\/none cannot be made there$/m);
  });

  await t.test('the data folder takes no backup, nor does a folder in it', async (t) => {
    for (const folder of [node.dataDir, join(node.dataDir, 'backups', 'today')]) {
      const { code, stderr } = await backup(t, folder);
      t.equal(code, 1);
      t.match(
        stderr,
        /^sentinel backup: .* is in the data folder .*: name a folder elsewhere, best on another disk\n$/,
      );
    }
    t.notOk(existsSync(join(node.dataDir, 'backups')), 'nothing is made');
  });
  await t.test('a folder that is not empty takes no backup', async (t) => {
    const { code, stderr } = await backup(t, folder);
    t.equal(code, 1);
    t.match(stderr, /^sentinel backup: the folder .* is not empty\n$/);
  });

  /** Returns a copy of the stopped system's data folder, with a changed store. */
  const dataWith = async (t: Test, change: (store: DocumentStore) => Promise<void>): Promise<string> => {
    const copy = join(temporaryFolder(t), 'data');
    cpSync(node.dataDir, copy, { recursive: true });
    const folder = openDataFolder(copy);
    const store = await openEmbeddedDocumentStore({ folder });
    await change(store);
    await store.close();
    folder.release();
    return copy;
  };
  const backupOf = (t: Test, dataDir: string, to: string) =>
    sentinel(t, {}, 'backup', to, '--data', dataDir, '--json');

  for (const name of ['anchor_transactions', 'claims'])
    await t.test(`a store that lost its ${name} gives no backup: no restore would take it`, async (t) => {
      const dataDir = await dataWith(t, (store) => store.drop([name]));
      const target = join(temporaryFolder(t), 'backup');
      const { code, stderr } = await backupOf(t, dataDir, target);
      t.equal(code, 1, stderr);
      t.match(stderr, new RegExp(`has nothing of ${name}, though its log has records`));
      t.strictSame(filesIn(target), []);
    });

  await t.test('what this version does not know of a store is named by backup and audit', async (t) => {
    const dataDir = await dataWith(t, async (store) => {
      await store.ensure([
        { name: 'later_decisions', indexes: [] },
        { name: 'later_nothing', indexes: [] },
      ]);
      await store.bulkUpsert('later_decisions', [{ id: 'one', rev: 1 }]);
    });
    const { code, stdout, stderr } = await backupOf(t, dataDir, join(temporaryFolder(t), 'backup'));
    t.equal(code, 0, stderr);
    t.match(
      stderr,
      /\nsentinel backup: the backup has nothing of later_decisions, which this version does not know: .*\n$/,
    );
    t.strictSame((JSON.parse(stdout) as { readonly unknown: readonly string[] }).unknown, [
      'later_decisions',
    ]);
    const { unknown, notCompared } = await auditIsClean(t, dataDir, { SENTINEL_SECRET: SECRET });
    t.strictSame(unknown, ['later_decisions']);
    t.ok(notCompared.includes('later_decisions'));
  });

  await t.test('stores that are not empty, and another log, take no restore', async (t) => {
    const again = await restore(t, node.dataDir);
    t.equal(again.code, 1);
    t.match(again.stderr, /sentinel restore: the document store is not empty: \w+ holds documents\n$/);
    const target = temporaryFolder(t);
    const foreign = await restore(t, target, folder, { SENTINEL_SECRET: `another ${SECRET}` });
    t.equal(foreign.code, 1);
    t.match(
      foreign.stderr,
      /this backup is of the log [0-9a-f]{16}…, the master secret here gives [0-9a-f]{16}…: give the backup's, as SENTINEL_SECRET or, /,
    );
    t.strictSame(filesIn(target), [], 'the refused restore left nothing behind');
    t.equal((await restore(t, target)).code, 0);
  });

  await t.test('a backup that names less than it holds, or nothing, is none', async (t) => {
    const copy = join(temporaryFolder(t), 'copy');
    cpSync(folder, copy, { recursive: true });
    const own = manifestIn(copy);
    const target = temporaryFolder(t);
    const refused = async (changes: Partial<BackupManifest>) => {
      writeUnsigned(copy, { ...own, ...changes });
      const { code, stderr } = await restore(t, target, copy);
      t.equal(code, 1);
      return stderr;
    };
    const less = { collections: own.collections.slice(1) };
    t.match(await refused(less), /documents\/\S+ is there, and the manifest does not name it\n$/);
    for (const name of ['documents', 'log']) rmSync(join(copy, name), { recursive: true });
    const nothing = { collections: [], partitions: [] };
    t.match(await refused(nothing), /holds no document: it is no backup of a system\n$/);
    t.strictSame(filesIn(target), [], 'nothing was begun');
  });

  /** Returns a copy of the backup without what the manifest names and `isOut` chooses, and without these files. */
  const without = (t: Test, isOut: (one: Named) => boolean) => {
    const copy = join(temporaryFolder(t), 'copy');
    cpSync(folder, copy, { recursive: true });
    const own = manifestIn(copy);
    const out = [...own.collections, ...own.partitions].filter(isOut);
    t.not(out.length, 0, 'something is taken out');
    for (const { file } of out) rmSync(join(copy, file));
    const collections = own.collections.filter((one) => !isOut(one));
    const partitions = own.partitions.filter((one) => !isOut(one));
    writeUnsigned(copy, { ...own, collections, partitions });
    return copy;
  };

  await t.test(
    'a backup of an earlier version is restored, and what it lacks is told at the end',
    async (t) => {
      const later = new Set(['clock_marks', 'contact_hours']);
      const copy = without(t, ({ name }) => later.has(String(name)));
      const { code, stdout, stderr } = await sentinel(
        t,
        {},
        'restore',
        copy,
        '--data',
        temporaryFolder(t),
        '--json', // prettier-ignore
      );
      t.equal(code, 0, stderr);
      t.match(
        stderr,
        /: the backup has nothing of .*\bclock_marks\b.*: they were empty, or the version that made it did not know them, and then what they decided is lost\n.*: that documents and log say the same was not compared: sentinel audit does\n$/,
      );
      const { lacking } = JSON.parse(stdout) as { readonly lacking: readonly string[] };
      t.ok(lacking.includes('clock_marks'));
    },
  );

  const takenOut: Readonly<Record<string, [(one: Named) => boolean, RegExp]>> = {
    ...Object.fromEntries(
      ['streams', 'reservations', 'claims', 'cuts', 'anchor_transactions'].map((collection) => [
        collection,
        [
          ({ name }) => name === collection,
          new RegExp(`has nothing of ${collection}, though its log has records`),
        ],
      ]),
    ),
    'the records of a partition': [
      ({ file }) => file.startsWith('log/sentinel.chain.v1/'),
      /sentinel\.chain\.v1 partition \d ended at offset \d+, and the backup has 0 files of it/,
    ],
  };
  for (const [what, [isOut, says]] of Object.entries(takenOut))
    await t.test(`a backup from which somebody took out ${what} is refused`, async (t) => {
      const target = temporaryFolder(t);
      const { code, stderr } = await restore(t, target, without(t, isOut));
      t.equal(code, 1, stderr);
      t.match(stderr, says);
      t.notMatch(stderr, /\d+ records\n/, 'the log was not begun');
      t.strictSame(filesIn(target), []);
    });

  const edited: Readonly<Record<string, [(own: BackupManifest) => Partial<BackupManifest>, RegExp]>> = {
    'no topics': [() => ({ ends: [] }), /names sentinel\.\S+ nowhere/],
    'a topic that is cleaned': [
      ({ ends }) => ({ ends: ends.map((one) => ({ ...one, retention: 'compacted' })) }),
      /says that sentinel\.\S+ is kept compacted: it is forever/,
    ],
    'fewer records': [
      ({ partitions }) => ({ partitions: partitions.map((one) => ({ ...one, lines: one.lines - 1 })) }),
      /the backup has \d+ of \d+ records/,
    ],
    'no time': [() => ({ madeAt: 'some day' }), /does not say when the backup was made/],
  };
  for (const [what, [change, says]] of Object.entries(edited))
    await t.test(`a backup whose manifest was changed to name ${what} is refused`, async (t) => {
      const copy = join(temporaryFolder(t), 'copy');
      cpSync(folder, copy, { recursive: true });
      writeUnsigned(copy, { ...manifestIn(copy), ...change(manifestIn(copy)) });
      const target = temporaryFolder(t);
      const { code, stderr } = await restore(t, target, copy);
      t.equal(code, 1, stderr);
      t.match(stderr, says);
      t.strictSame(filesIn(target), []);
    });

  /** Returns a copy of the backup whose manifest tells another thing of a collection. */
  const retold = (t: Test, name: string, changes: Partial<BackupManifest['collections'][number]>) => {
    const copy = join(temporaryFolder(t), 'copy');
    cpSync(folder, copy, { recursive: true });
    const own = manifestIn(copy);
    const collections = own.collections.map((one) => (one.name === name ? { ...one, ...changes } : one));
    writeUnsigned(copy, { ...own, collections });
    return copy;
  };

  await t.test(
    'a collection without documents has no file, so that an earlier version reads the backup',
    (t) => {
      t.strictSame(
        manifest.collections.filter(({ lines }) => lines === 0).map(({ name }) => name),
        [],
      );
      t.equal(filesIn(join(folder, 'documents')).length, manifest.collections.length);
      t.end();
    },
  );

  await t.test(
    'a collection that this version does not know is refused before anything is written',
    async (t) => {
      const target = temporaryFolder(t);
      const { code, stderr } = await restore(t, target, retold(t, 'claims', { name: 'of_a_later_version' }));
      t.equal(code, 1);
      t.match(
        stderr,
        /holds the collection of_a_later_version, which this version does not know: restore with the version that made it\n$/,
      );
      t.notMatch(stderr, /\d+ records\n/, 'the log was not begun');
      t.strictSame(filesIn(target), []);
    },
  );

  await t.test('a restore that fails in the middle leaves what was there before', async (t) => {
    const target = temporaryFolder(t);
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, 'master-secret'), `${SECRET}\n`);
    const { code, stderr } = await restore(t, target, retold(t, 'claims', { lines: 2 }));
    t.equal(code, 1);
    t.match(stderr, /\d+ records\n[^]*: claims: 2 lines gave 1 documents\n$/, 'after the log');
    t.strictSame(filesIn(target), ['master-secret']);
  });

  await t.test('a restore that is killed leaves no system: a start refuses, in one line', async (t) => {
    const target = temporaryFolder(t);
    const killed = await startChild(
      t,
      ['--import', KILLED_AT_VIEWS, SENTINEL, 'restore', folder, '--data', target],
      { SENTINEL_SECRET: SECRET },
    ).ended;
    t.equal(killed.signal, 'SIGKILL');
    const started = await runChild(t, [RUN], { ...QUIET, ...env, SENTINEL_DATA_DIR: target });
    t.not(started.code, 0);
    const unfinished = /a restore into these stores was begun and has not ended/;
    t.match(started.stderr, unfinished);
    const again = await restore(t, target);
    t.equal(again.code, 1);
    t.match(again.stderr, unfinished);
    for (const reads of [['seals'], ['trust'], ['headers', join(temporaryFolder(t), 'headers')]]) {
      const read = await sentinel(t, {}, ...reads, '--data', target);
      t.match(read, { code: 1, stdout: '', stderr: unfinished }, `${reads[0]} has only a part`);
    }
    t.not(filesIn(target).length, 0, 'what another process began is left to the person who looks at it');
  });

  const broken: Readonly<Record<string, [(copy: string) => void, RegExp]>> = {
    'without a manifest': [
      (copy) => rmSync(join(copy, 'manifest.json')),
      /holds no whole backup: manifest\.json is missing/,
    ],
    'of a later version': [
      (copy) => writeFileSync(join(copy, 'manifest.json'), '{"format":99}'),
      /has the format 99, and this version knows none above 1: restore it with the version that made it, or a later one/,
    ],
    'with a manifest of another form': [
      (copy) => writeFileSync(join(copy, 'manifest.json'), '{"format":1}'),
      /is not a manifest of this format \(1\)/,
    ],
    'without one of its files': [
      (copy) => rmSync(join(copy, 'documents/streams.ndjson.gz')),
      /streams\.ndjson\.gz is missing/,
    ],
    'with a file that was changed': [
      (copy) => {
        const file = join(copy, 'documents/claims.ndjson.gz');
        const text = gunzipSync(readFileSync(file)).toString().replace('looked into it', 'looked away now');
        writeFileSync(file, gzipSync(text));
      },
      /claims\.ndjson\.gz is not as it was written/,
    ],
  };
  for (const [title, [change, says]] of Object.entries(broken))
    await t.test(`a backup ${title} is refused, and nothing is written`, async (t) => {
      const copy = join(temporaryFolder(t), 'copy');
      cpSync(folder, copy, { recursive: true });
      change(copy);
      const target = join(temporaryFolder(t), 'target');
      const { code, stderr } = await restore(t, target, copy);
      t.equal(code, 1);
      t.match(stderr, says);
      t.strictSame(filesIn(target), []);
      t.equal((await restore(t, target)).code, 0, 'the whole one fits afterwards');
    });

  await t.test('without the log it fits the log that it was made with only', async (t) => {
    const slim = join(temporaryFolder(t), 'slim');
    t.equal((await backup(t, slim, '--without-log')).code, 0);
    t.strictSame(readdirSync(slim).sort(), ['documents', 'manifest.json', 'manifest.sig']);
    const target = temporaryFolder(t);
    mkdirSync(target, { recursive: true });
    const refused = await restore(t, target, slim);
    t.equal(refused.code, 1);
    t.match(refused.stderr, /the backup has no log, and the one here is another: .* ends at 0, not at \d+/);
  });

  await t.test('wrong usage', async (t) => {
    for (const command of ['backup', 'restore']) {
      t.equal((await sentinel(t, {}, command)).code, 2);
      t.equal((await sentinel(t, {}, command, 'a', 'b')).code, 2);
      const { code, stdout } = await sentinel(t, {}, command, '--help');
      t.equal(code, 0);
      t.match(stdout, new RegExp(`^usage: sentinel ${command} FOLDER`));
    }
  });
});
