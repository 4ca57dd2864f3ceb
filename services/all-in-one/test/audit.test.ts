/** Tests that `sentinel audit` rebuilds everything from the log, reports success, and names differences. */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import t, { type Test } from 'tap';
import { CURRENT_RULES, type Link } from '@sentinel-node/contracts';
import { audit, auditIsClean } from './support/audit.ts';
import { runChild } from './support/child.ts';
import { call } from './support/client.ts';
import { temporaryFolder } from './support/folder.ts';
import { Node, SENTINEL, startedNode } from './support/node.ts';
import { version } from './support/reporter.ts';
import { historyOn, linksOf } from './support/scene.ts';
import { foundInLog, inLog, inLogFile, inViews } from './support/tamper.ts';
import { FILE_MS, until } from './support/until.ts';

/** Returns the bytes of a hash or a UUID as text, for `inLog`. */
const bytesOf = (hex: string): string => Buffer.from(hex.replaceAll('-', ''), 'hex').toString('latin1');
const other = (hex: string): string => (hex.startsWith('0') ? '1' : '0') + hex.slice(1);

t.setTimeout(FILE_MS);
t.test('the audit', { timeout: FILE_MS }, async (t) => {
  const started = await startedNode(t, { SENTINEL_INTERVAL_MISSION_CRITICAL: '1' });
  const { node, agent, one, links } = await historyOn(t, started);
  const first = links[2]!;
  const link = await until('an anchored link', async (): Promise<Link | undefined> => {
    const [newest] = await linksOf(agent, one);
    return newest?.bsvId === null ? undefined : newest;
  });

  await t.test('a folder in use is refused', async (t) => {
    const { code, stderr } = await runChild(t, [SENTINEL, 'audit', '--data', node.dataDir]);
    t.equal(code, 1);
    t.match(stderr, /another process uses the data folder/);
    t.equal((await call(node, 'GET', '/readyz')).status, 200);
  });
  await until('a block', async () => {
    const proof = await agent.member.done('GET', `/proofs/${agent.path}/${one}/${link.id}`);
    return proof['state'] === 'MINED' ? true : undefined;
  });
  await node.stop();

  await t.test('all is as the log says, and again when asked twice', async (t) => {
    const result = await auditIsClean(t, node.dataDir);
    t.ok(result.batches > 0 && result.documents > 0);
    t.equal(result.judged, 5);
    const { code, stdout } = await runChild(t, [SENTINEL, 'audit', '--data', node.dataDir]);
    t.equal(code, 0);
    t.match(stdout, /all is as the log says/);
    t.match(
      stdout,
      /audit: [1-9]\d* of [1-9]\d* transactions may still move: they are not deep enough in the ledger yet/,
    );
  });

  /** Changes a copy of the folder and checks that the audit reports each of `says`. */
  async function finds(t: Test, change: (dataDir: string) => number, ...says: RegExp[]): Promise<void> {
    await endsWith(t, 1, change, ...says);
  }

  async function endsWith(
    t: Test,
    expected: number,
    change: (dataDir: string) => number,
    ...says: RegExp[]
  ): Promise<void> {
    const dataDir = temporaryFolder(t);
    cpSync(node.dataDir, dataDir, { recursive: true });
    t.ok(change(dataDir) > 0, 'something was changed');
    const { code, findings } = await audit(t, dataDir);
    t.equal(code, expected);
    for (const say of says)
      t.ok(
        findings.some((finding) => say.test(finding)),
        `${String(say)} among ${JSON.stringify(findings)}`,
      );
  }

  await t.test('views that were edited, taken away, put in', (t) =>
    finds(
      t,
      (folder) => {
        const edit = 'UPDATE $table SET body = replace(body, ?, ?) WHERE id = ?';
        const put =
          "INSERT INTO $table (id, rev, body) SELECT 'forged', rev, json_set(body, '$.id', 'forged') FROM $table LIMIT 1";
        return Math.min(
          inViews(folder, 'links', edit, link.hash ?? '', version('x').hash, link.id),
          inViews(folder, 'links', 'DELETE FROM $table WHERE id = ?', first.id),
          inViews(folder, 'device_contacts', put),
        );
      },
      new RegExp(`^views: links ${link.id}: hash differ from what the log gives`),
      new RegExp(`^views: links ${first.id}: missing, the log gives it`),
      /^views: device_contacts forged: no record of the log gives it/,
    ),
  );
  await t.test('documents that no list finds, because only what the indexes hold of them was changed', (t) =>
    finds(
      t,
      (folder) =>
        Math.min(
          inViews(folder, 'events', 'UPDATE $table SET f0 = NULL WHERE k = 1'),
          inViews(folder, 'devices', "UPDATE $table SET id = id || 'x'"),
          inViews(folder, 'file_states', 'UPDATE $table SET rev = rev + 1000'),
          inViews(folder, 'links', 'DELETE FROM $table_waiting WHERE k = 1'),
        ),
      /^indexes: events \S+: the store finds it by another orgId than the document says/,
      /^indexes: devices \S+: the store finds it by another id than the document says/,
      /^indexes: file_states \S+: the store finds it by another rev than the document says/,
      /^indexes: links \S+: the store does not find it by fileId and number/,
    ),
  );
  await t.test('a report in the log', (t) =>
    finds(
      t,
      (folder) => inLog(folder, ['"change":"REPLACED"'], link.hash!, other(link.hash!)),
      /^verdicts: .*another verdict was published/,
    ),
  );
  await t.test('an entry of a chain', (t) =>
    finds(
      t,
      (folder) => inLog(folder, [bytesOf(link.linkHash)], bytesOf(link.hash!), bytesOf(other(link.hash!))),
      /^chains: .*the link hash of entry 3 does not fit its contents/,
      /^verdicts: .*another verdict was published/,
    ),
  );
  await t.test('a link hash', (t) =>
    finds(
      t,
      (folder) => inLog(folder, [], bytesOf(link.linkHash), bytesOf(other(link.linkHash))),
      /^chains: .*the link hash of entry 3/,
      /^batches: batch \d+: its leaves give another root/,
    ),
  );
  await t.test('a record in an encoding of another version', (t) =>
    finds(
      t,
      (folder) => {
        const start = `\x03${String.fromCharCode(CURRENT_RULES)}${bytesOf(agent.member.orgId!)}`;
        return inLog(folder, [bytesOf(link.linkHash)], `\x01${start}`, `\x02${start}`);
      },
      /^chains: .*: the record at \d+\/\d+ cannot be read/,
      /^batches: batch \d+: has \d+ leaves/,
      /^views: cannot be made anew: the record at /,
    ),
  );
  await t.test(
    'rows of the log that are none, or say that they have more, end every command in a line',
    async (t) => {
      const ofRegistry =
        "WHERE k = (SELECT max(k) FROM batches WHERE k >> 44 = (SELECT slot FROM slots WHERE topic = 'sentinel.registry.v1'))";
      const cut =
        /: the log cannot be read: sentinel\.registry\.v1 partition 0, from offset \d+ on: a row of the log /;
      const cases: readonly [string, RegExp, readonly string[]][] = [
        ["frame = x''", cut, ['audit', 'rebuild', 'backup']],
        ['frame = substr(frame, 1, 20)', cut, ['audit', 'rebuild', 'backup']],
        ['next = next + 1', cut, ['audit']],
        [
          "frame = CAST(replace(frame, x'7b22', x'7b20') AS BLOB)",
          /: the record at sentinel\.registry\.v1\S+ cannot be read: /,
          ['rebuild'],
        ],
      ];
      for (const [set, said, commands] of cases)
        for (const command of commands) {
          const dataDir = temporaryFolder(t);
          cpSync(node.dataDir, dataDir, { recursive: true });
          t.equal(inLogFile(dataDir, `UPDATE batches SET ${set} ${ofRegistry}`), 1);
          const more = { audit: [], rebuild: ['--all'], backup: [`${dataDir}-backup`] }[command] ?? [];
          const { code, stderr } = await runChild(t, [SENTINEL, command, ...more, '--data', dataDir]);
          t.equal(code, 1, `${command}, ${set}`);
          t.match(stderr.trim().split('\n').at(-1), said, `${command}, ${set}`);
        }
    },
  );
  const newestTransaction = '(SELECT max(id) FROM $table)';
  await t.test('a transaction that the log has and the store has not', (t) =>
    endsWith(
      t,
      3,
      (folder) =>
        inViews(folder, 'anchor_transactions', `DELETE FROM $table WHERE id = ${newestTransaction}`),
      /^anchors: batch \d+: the log has a transaction of it that the store has not/,
    ),
  );
  await t.test('every transaction of the store gone', (t) =>
    endsWith(
      t,
      3,
      (folder) => inViews(folder, 'anchor_transactions', 'DELETE FROM $table'),
      /^anchors: batch 0: the log has a transaction of it that the store has not/,
    ),
  );
  const shifted =
    "UPDATE $table SET rev = rev + ?1, body = json_set(body, '$.rev', json_extract(body, '$.rev') + ?1)";
  await t.test('a first contact later than the log has it', (t) =>
    finds(
      t,
      (folder) => inViews(folder, 'device_first_contacts', shifted, '-60000'),
      /^views: device_first_contacts \S+: rev differ from what the log gives/,
    ),
  );
  await t.test('an earlier first contact is of a heartbeat that the log keeps no longer', (t) =>
    endsWith(t, 0, (folder) => inViews(folder, 'device_first_contacts', shifted, '60000')),
  );
  await t.test('a recorded cut: its transaction says otherwise', (t) =>
    endsWith(
      t,
      3,
      (folder) => {
        const root = foundInLog(folder, /"leafRoot":"([0-9a-f]{64})"/);
        return inLog(folder, ['"leafRoot"'], root, other(root));
      },
      /^batches: batch \d+: its leaves give another root/,
      /^anchors: batch 0: .*SEAL_ANCHOR_DIFFERS/,
    ),
  );
  await t.test('blocks of the development ledger that are gone', (t) =>
    endsWith(
      t,
      3,
      (folder) => {
        // As if the block were deep: an open transaction may still move to another block.
        inViews(folder, 'anchor_transactions', "UPDATE $table SET body = json_remove(body, '$.open')");
        return inViews(folder, 'dev_ledger_blocks', 'DELETE FROM $table');
      },
      /^anchors: batch 0: the ledger does not know its transaction any more/,
    ),
  );
  await t.test(
    'seals, headers and anchors with a gap are not given out as whole, however long it is',
    async (t) => {
      const dataDir = temporaryFolder(t);
      cpSync(node.dataDir, dataDir, { recursive: true });
      const run = (...args: string[]) => runChild(t, [SENTINEL, ...args, '--data', dataDir]);
      inViews(dataDir, 'anchor_transactions', "DELETE FROM $table WHERE id > '0000000000000000'");
      const moved = (collection: string, digits: number) =>
        inViews(
          dataDir,
          collection,
          "INSERT INTO $table (id, rev, body) SELECT ?1, rev, json_set(body, '$.id', ?1) FROM $table LIMIT 1",
          '21'.padStart(digits, '0'),
        );
      t.equal(moved('anchor_transactions', 16), 1);
      t.match(await run('seals'), {
        code: 1,
        stderr: /batch 1 has no transaction, and a later one has: run sentinel audit/,
      });
      t.match(await run('anchors'), {
        code: 1,
        stderr: /batch 21 has a transaction and no cut: run sentinel audit/,
      });
      inViews(dataDir, 'dev_ledger_blocks', "DELETE FROM $table WHERE id > '0000000000'");
      t.equal(moved('dev_ledger_blocks', 10), 1);
      const out = `${dataDir}/headers`;
      t.match(await run('headers', out), {
        code: 1,
        stderr: /block 1 of the development ledger is missing, and a later one is there/,
      });
      t.notOk(existsSync(out));
    },
  );
  await t.test('headers of a development ledger with a changed block are not given out', async (t) => {
    const dataDir = temporaryFolder(t);
    cpSync(node.dataDir, dataDir, { recursive: true });
    // A block later than the first: the link of the block after it breaks as well.
    const changed = inViews(
      dataDir,
      'dev_ledger_blocks',
      "UPDATE $table SET body = json_set(body, '$.header', substr(body ->> '$.header', 1, 72) || ?1) WHERE id = '0000000001'",
      '00'.repeat(44),
    );
    t.equal(changed, 1);
    const out = `${dataDir}/headers`;
    t.match(await runChild(t, [SENTINEL, 'headers', out, '--data', dataDir]), {
      code: 1,
      stderr: /block 1 of the development ledger does not hold \(\w+\): run sentinel audit/,
    });
    t.notOk(existsSync(out));
  });
  await t.test('a cut that the log has and the store has not', (t) =>
    endsWith(
      t,
      3,
      (folder) => inViews(folder, 'cuts', `DELETE FROM $table WHERE id = ${newestTransaction}`),
      /^anchors: batch \d+: the log has a cut of it that the store has not/,
    ),
  );
  await t.test('a cut that the store has as published and the log has not', (t) =>
    endsWith(
      t,
      3,
      (folder) =>
        inViews(
          folder,
          'cuts',
          `INSERT INTO $table (id, rev, body) SELECT '9000000000000000', rev,
            json_set(body, '$.id', '9000000000000000', '$.cut.batch', 9000000000000000) FROM $table LIMIT 1`,
        ),
      /^anchors: batch 9000000000000000: the store has a published cut of it that the log has not/,
    ),
  );
  await t.test('a place to go on from that was moved forward, so that no batch would have an entry', (t) =>
    finds(
      t,
      (folder) =>
        inViews(
          folder,
          'cuts',
          `UPDATE $table SET body = json_set(body, '$.next[0].offset', json_extract(body, '$.next[0].offset') + 1)
            WHERE id = ${newestTransaction}`,
        ),
      /^anchors: batch \d+: next of its stored cut differ from what the log gives/,
    ),
  );
  await t.test('a transaction that the ledger refused is no difference, and is told', async (t) => {
    const dataDir = temporaryFolder(t);
    cpSync(node.dataDir, dataDir, { recursive: true });
    // As anchoring does it, whose next step publishes the change; f0 and f2 are the columns of `unpublished` and `open`.
    const refuse = `UPDATE $table SET f0 = 1, f2 = NULL, body = json_set(json_remove(body, '$.open'), '$.record.transaction.status', 'REJECTED',
      '$.record.rev', json_extract(body, '$.record.rev') + 1, '$.unpublished', 1) WHERE id = ${newestTransaction}`;
    t.equal(inViews(dataDir, 'anchor_transactions', refuse), 1);
    t.match(await runChild(t, [SENTINEL, 'audit', '--data', dataDir]), {
      code: 1,
      stdout:
        /^audit: 1 batch has a transaction that the ledger refuses, the first since 2\S+: [^]*\naudit: all is as the log says, but anchoring does not get on \(/m,
    });
    t.match((await audit(t, dataDir)).result.unanchored, { refused: { count: 1, isOverdue: true } });
  });
  await t.test('seals end before a transaction that may still be replaced', async (t) => {
    const dataDir = temporaryFolder(t);
    cpSync(node.dataDir, dataDir, { recursive: true });
    for (const collection of ['anchor_transactions', 'cuts']) {
      inViews(dataDir, collection, "DELETE FROM $table WHERE id > '0000000000000000'");
      const second = `INSERT INTO $table (id, rev, body)
        SELECT '0000000000000001', rev, json_set(body, '$.id', '0000000000000001', '$.batch', 1) FROM $table`;
      t.equal(inViews(dataDir, collection, second), 1);
    }
    const seals = () => runChild(t, [SENTINEL, 'seals', '--data', dataDir]);
    const whole = await seals();
    t.equal(whole.code, 0, whole.stderr);
    const [head, first, ...rest] = whole.stdout.split('\n');
    t.equal(rest.length, 2, 'a second batch');
    const edit = "UPDATE $table SET body = json_set(body, '$.record.transaction.status', ?) WHERE id = ?";
    for (const status of ['SIGNED', 'REJECTED', 'DOUBLE_SPEND_ATTEMPTED']) {
      t.equal(inViews(dataDir, 'anchor_transactions', edit, status, '0000000000000001'), 1);
      const { code, stdout, stderr } = await seals();
      t.strictSame({ code, stdout }, { code: 0, stdout: `${head}\n${first}\n` }, status);
      t.match(stderr, /later batches, which have no transaction on the network yet: 1$/m);
    }
    t.equal(inViews(dataDir, 'anchor_transactions', edit, 'REJECTED', '0000000000000000'), 1);
    t.match(await seals(), { code: 1, stdout: '', stderr: /nothing is anchored yet/ });
  });
  const heads =
    /^anchors: FILE \S+: the store has (entry \d+|no entry) as the last anchored one, the batches have entry \d+/;
  await t.test('a last anchored entry that is gone, or another one', async (t) => {
    await finds(t, (folder) => inViews(folder, 'anchored_heads', 'DELETE FROM $table'), heads);
    const later = "UPDATE $table SET body = json_set(body, '$.number', json_extract(body, '$.number') + 1)";
    await finds(t, (folder) => inViews(folder, 'anchored_heads', later), heads);
    const none = "UPDATE $table SET body = json_remove(body, '$.number')";
    await finds(t, (folder) => inViews(folder, 'anchored_heads', none), heads);
    const text = "UPDATE $table SET body = json_set(body, '$.number', body->>'$.number' || '')";
    await finds(t, (folder) => inViews(folder, 'anchored_heads', text), heads);
  });
  const newestVersion =
    "json_extract(body, '$.version') = (SELECT max(json_extract(body, '$.version')) FROM $table)";
  await t.test('a commit of a stream that is not the one in the log', (t) =>
    finds(
      t,
      (folder) =>
        inViews(
          folder,
          'streams',
          "UPDATE $table SET body = json_set(body, '$.entity.name', 'another') WHERE id LIKE 'device:%:000000000001'",
        ),
      /^streams: device:\S+:000000000001: entity differs? from what the log has/,
    ),
  );
  await t.test('the newest commit of a stream taken away', (t) =>
    finds(
      t,
      (folder) => inViews(folder, 'streams', `DELETE FROM $table WHERE ${newestVersion}`),
      /^streams: \S+: missing, the log has it/,
    ),
  );
  await t.test('a published commit that was never published', (t) =>
    finds(
      t,
      (folder) =>
        inViews(
          folder,
          'streams',
          `INSERT INTO $table (id, rev, body)
            SELECT substr(id, 1, length(id) - 12) || '000000000900', rev,
              json_set(body, '$.id', substr(id, 1, length(id) - 12) || '000000000900', '$.version', 900)
            FROM $table WHERE ${newestVersion} LIMIT 1`,
        ),
      /^streams: \S+:000000000900: no record of the log gives it/,
    ),
  );
  await t.test('a head of the verifier that was edited, taken away, put in', async (t) => {
    const place = "WHERE id = (SELECT max(id) FROM $table WHERE json_extract(body, '$.last') IS NOT NULL)";
    await finds(
      t,
      (folder) =>
        inViews(folder, 'heads', `UPDATE $table SET body = json_set(body, '$.last.length', 7) ${place}`),
      /^heads: \S+: last differs? from what the log gives/,
    );
    await finds(
      t,
      (folder) => inViews(folder, 'heads', `DELETE FROM $table ${place}`),
      /^heads: \S+: missing, the log gives it/,
    );
    await finds(
      t,
      (folder) =>
        inViews(
          folder,
          'heads',
          "INSERT INTO $table (id, rev, body) SELECT 'forged', rev, json_set(body, '$.id', 'forged') FROM $table LIMIT 1",
        ),
      /^heads: forged: no record of the log gives it/,
    );
    await finds(
      t,
      (folder) =>
        inViews(folder, 'heads', `UPDATE $table SET body = json_set(body, '$.offset', 900000) ${place}`),
      /^heads: \S+: no record of the log gives it/,
    );
  });
  await t.test('a claim on an alert that was edited, taken away, put in, put back', async (t) => {
    const edit = (path: string, value: string) =>
      `UPDATE $table SET body = json_set(body, '${path}', '${value}')`;
    await finds(
      t,
      (folder) => inViews(folder, 'claims', edit('$.record.actorEmail', 'somebody@else.example')),
      /^claims: \S+: its record differs from what the log has/,
    );
    await finds(
      t,
      (folder) => inViews(folder, 'claims', 'DELETE FROM $table'),
      /^claims: \S+: missing, the log has it/,
    );
    await finds(
      t,
      (folder) => inViews(folder, 'claims', "UPDATE $table SET body = json_remove(body, '$.record')"),
      /^claims: \S+: it is not in the form of a claim/,
    );
    await finds(
      t,
      (folder) =>
        inViews(
          folder,
          'claims',
          "INSERT INTO $table (id, rev, body) SELECT 'forged', rev, json_set(body, '$.id', 'forged') FROM $table LIMIT 1",
        ),
      /^claims: forged: it is of alert \S+/,
    );
    await finds(
      t,
      (folder) =>
        inViews(
          folder,
          'claims',
          "INSERT INTO $table (id, rev, body) SELECT 'forged', rev, json_set(body, '$.id', 'forged', '$.record.alertId', 'forged') FROM $table LIMIT 1",
        ),
      /^claims: forged: no record of the log gives it/,
    );
  });
  await t.test(
    'an address, a person or a name that was given to another, released, taken away',
    async (t) => {
      const kinds = ['email', 'wallet', 'name'];
      const another = randomUUID();
      const edit = (path: string, value: string) =>
        `UPDATE $table SET body = json_set(body, '${path}', ${value})`;
      const changes = [
        [edit('$.orgId', `'${another}'`), `is reserved for another, of .*organization ${another}$`],
        [edit('$.released', "json('true')"), 'is released$'],
        ['DELETE FROM $table', 'is not reserved$'],
      ] as const;
      // Each change of each kind once, three at a time.
      for (const turn of kinds.keys()) {
        const made = kinds.map((kind, at) => ({ kind, change: changes[(at + turn) % changes.length]! }));
        await finds(
          t,
          (folder) =>
            Math.min(
              ...made.map(({ kind, change: [sql] }) =>
                inViews(folder, 'reservations', `${sql} WHERE id LIKE '${kind}:%'`),
              ),
            ),
          ...made.map(
            ({ kind, change: [, says] }) =>
              new RegExp(`^reservations: ${kind}:.* of organization ${agent.member.orgId}: ${says}`),
          ),
        );
      }
      await finds(
        t,
        (folder) =>
          inViews(
            folder,
            'reservations',
            `INSERT INTO $table (id, rev, body) SELECT 'email:new@person.example', rev,
            json_set(body, '$.id', 'email:new@person.example', '$.at', 99999999999999) FROM $table LIMIT 1`,
          ),
        /^reservations: email:new@person.example: nobody has it by the log, and its time has not come yet/,
      );
    },
  );
  await t.test('the record of a batch that the API shows', (t) =>
    finds(
      t,
      (folder) =>
        inViews(
          folder,
          'anchors',
          "UPDATE $table SET body = json_set(body, '$.transaction.blockHeight', 7) WHERE id = '0000000000000000'",
        ),
      /^anchors: batch 0: its shown record differs from what the log has/,
    ),
  );
  await t.test('what is not compared is named', async (t) => {
    const { stdout } = await runChild(t, [SENTINEL, 'audit', '--data', node.dataDir]);
    t.match(
      stdout,
      /^audit: not compared, because nothing but the store says what they hold: .*\balert_shares, .*\(docs\/audit\.md\)$/m,
    );
    const { result } = await audit(t, node.dataDir);
    t.ok(result.notCompared.includes('notification_settings'), result.notCompared.join());
    t.notOk(result.notCompared.includes('claims'));
  });
  await t.test('of two kept checkpoints none is passed over', async (t) => {
    const twice = ['--checkpoint', '/nowhere', '--checkpoint', '/nowhere'];
    const { code, stderr } = await runChild(t, [SENTINEL, 'audit', '--data', node.dataDir, ...twice]);
    t.equal(code, 2);
    t.match(stderr, /--checkpoint is given twice/);
  });
  await t.test('without a checkpoint it says what is not shown', async (t) => {
    const { stdout } = await runChild(t, [SENTINEL, 'audit', '--data', node.dataDir]);
    t.match(stdout, /no checkpoint kept elsewhere was given: .*--checkpoint/);
  });
});

t.test('an empty log is not reported as one that agrees', { timeout: FILE_MS }, async (t) => {
  const node = new Node(t);
  await node.start();
  await node.stop();
  const { code, stdout } = await runChild(t, [SENTINEL, 'audit', '--data', node.dataDir]);
  t.equal(code, 1);
  t.match(stdout, /audit: the log is empty: there is nothing to compare\n$/);
  t.notMatch(stdout, /all is as/);
  const read = await runChild(t, [SENTINEL, 'topics', 'read', 'sentinel.chain.v1', '--data', node.dataDir]);
  t.match(read, {
    code: 0,
    stdout: '',
    stderr: /sentinel topics: no record: sentinel\.chain\.v1 has 0 here\n$/,
  });
});
