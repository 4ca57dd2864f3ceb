import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent, Document } from 'mongodb';
import t from 'tap';
import { startMongo } from '@sentinel-node/test-kit/test-servers';
import { silentLog } from '../src/logging/log.ts';
import { COMMANDS, COMMON_MEMBERS, OPTION_VALUES, openMongoDocumentStore } from '../src/mongodb/index.ts';
import { openMongoScratchStore } from '../src/mongodb/scratch.ts';

/** Allows for a machine that is busy with other work. */
t.setTimeout(900_000);
/** Commands that are sent to routers, by the driver alone, or for answers above 16 MiB; other tests cover these. */
const NOT_HERE = ['getMore', 'shardCollection'];

const server = await startMongo(t);
if (server !== undefined) {
  await t.test('docs/mongodb.md holds every command with its options, and no other', async (t) => {
    const sent: CommandStartedEvent[] = [];
    const onCommand = (event: CommandStartedEvent): void => void sent.push(event);
    const options = { url: server.url, log: silentLog(), onCommand };
    const store = await openMongoDocumentStore({ ...options, database: `test-${randomUUID()}` });
    const spec = {
      name: 'c',
      indexes: [{ fields: ['org', 'at'] }, { fields: ['mail'], unique: true, sparse: true }],
    };
    await store.ensure([spec]);
    await store.insertUnique('c', { id: 'a', org: 'o', at: 1 });
    t.same(
      await store.insertMissing('c', [
        { id: 'a', org: 'o' },
        { id: 'b', org: 'o', mail: 'm' },
      ]),
      ['b'],
    );
    for (let twice = 0; twice < 2; twice++) await store.bulkUpsert('c', [{ id: 'a', rev: 1, org: 'o' }]);
    await store.update('c', { id: 'a', rev: 2, org: 'o' }, 1);
    const query = { where: { org: 'o' }, sort: { field: 'at', direction: 'desc' }, limit: 5 } as const;
    t.equal((await store.find('c', query)).length, 2);
    t.equal(await store.count('c', query.where), 2);
    t.equal((await store.getMany('c', ['a', 'b'])).length, 2);
    for await (const page of store.scan('c')) t.equal(page.length, 2);
    await store.explain('c', query);
    await store.remove('c', ['a']);
    await store.replace('c', await store.makeReplacement(spec));
    await store.collections();
    await store.drop(['c']);
    await store.close();
    await (await openMongoScratchStore(options)).close();

    const finds = sent.filter(({ commandName }) => commandName === 'find').map(({ command }) => command);
    const explained = sent.find(({ commandName }) => commandName === 'explain')?.command[
      'explain'
    ] as Document;
    const asked = ({ filter, sort, limit, hint, batchSize, maxTimeMS }: Document) => {
      return { filter, sort, limit, hint, batchSize, maxTimeMS };
    };
    const found = finds.find(({ sort }) => JSON.stringify(sort) === JSON.stringify(explained['sort']));
    t.strictSame(asked(explained), asked(found ?? {}), 'what is explained is what is asked');

    const seen = new Map<string, Set<string>>();
    for (const { commandName, command } of sent) {
      const members = seen.get(commandName) ?? new Set();
      for (const [member, value] of Object.entries(command)) {
        members.add(member);
        // The driver does not wait for the answer to `endSessions`.
        if (member in OPTION_VALUES && commandName !== 'endSessions')
          compareValue(commandName, member, value as Document);
      }
      seen.set(commandName, members);
    }
    for (const { command, options } of COMMANDS) {
      if (NOT_HERE.includes(command)) continue;
      const members = [...(seen.get(command) ?? [])].filter(
        (member) => member !== command && !COMMON_MEMBERS.includes(member),
      );
      const expected = options.filter((option) => option !== command);
      const missing = expected.filter((option) => !members.includes(option) && !isOptional(option));
      t.same(missing, [], `${command}: listed and never sent`);
      t.same(
        members.filter((member) => !expected.includes(member)),
        [],
        `${command}: sent and not listed`,
      );
    }
    const listed = new Set(COMMANDS.map(({ command }) => command));
    t.same(
      [...seen.keys()].filter((command) => !listed.has(command)),
      [],
      'commands that are not listed',
    );

    /**
     * Returns whether the adapter or the driver leaves the option out for a standalone stand-in; the other test covers
     * these.
     */
    function isOptional(option: string): boolean {
      return option === 'commitQuorum' || option === 'singleBatch';
    }

    function compareValue(command: string, member: string, value: unknown): void {
      const wanted = OPTION_VALUES[member];
      if (typeof wanted === 'string') t.equal(value, wanted, `${command}: ${member}`);
      else t.match(value, wanted, `${command}: ${member}`);
    }
  });
}
