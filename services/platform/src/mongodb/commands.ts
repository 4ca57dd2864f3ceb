import { ERROR_CODES, ERROR_LABELS } from './error-codes.ts';

/**
 * Every command that this adapter sends, for comparison with MongoDB's documents
 * (https://www.mongodb.com/docs/manual/reference/command/). `docs/mongodb.md` shows it as a table; a test compares it
 * with the commands that the driver sends.
 */
export interface CommandForm {
  readonly command: string;
  /** Calls of the port, or of the start, that send the command. */
  readonly sentBy: string;
  /**
   * Members besides the command's own name; members of every command (session, cluster time, database) are left out.
   */
  readonly options: readonly string[];
  /** Index that the command uses. */
  readonly index: string;
  /** First version of MongoDB that accepts the command with these options. */
  readonly since: string;
  /** How a router handles the command. */
  readonly onShards: string;
}

/** Members of every command: sessions and retryable writes (3.6). */
export const COMMON_MEMBERS: readonly string[] = [
  'lsid',
  'txnNumber',
  '$clusterTime',
  '$db',
  '$readPreference',
];

/** Values of options, the same on every command with the option. */
export const OPTION_VALUES: Readonly<Record<string, unknown>> = {
  writeConcern: { w: 'majority', j: true },
  readConcern: { level: 'majority' },
  commitQuorum: 'majority',
};

const DECLARED = 'the declared one, by the choice of the server';

export const COMMANDS: readonly CommandForm[] = [
  {
    command: 'hello',
    sentBy: 'start; the driver’s monitors',
    options: [],
    index: '–',
    since: '4.4.2',
    onShards: 'answers `msg: isdbgrid`',
  },
  {
    command: 'create',
    sentBy: '`ensure`, `makeReplacement`',
    options: ['writeConcern'],
    index: '–',
    since: '3.4',
    onShards: 'makes the collection on one shard',
  },
  {
    command: 'listIndexes',
    sentBy: '`ensure`',
    options: ['cursor'],
    index: '–',
    since: '3.0',
    onShards: 'asks one shard that has chunks',
  },
  {
    command: 'createIndexes',
    sentBy: '`ensure`, always: it waits for builds that another process began',
    options: ['indexes', 'commitQuorum', 'writeConcern'],
    index: '–',
    since: '4.4',
    onShards: 'goes to all shards that have chunks',
  },
  {
    command: 'insert',
    sentBy: '`insertUnique`, `insertMissing`',
    options: ['documents', 'ordered', 'writeConcern'],
    index: '`_id`, unique ones',
    since: '3.6',
    onShards: 'each document goes to one shard',
  },
  {
    command: 'update',
    sentBy:
      '`bulkUpsert`, `update` (replacements by `_id` and `rev`); `ensure` (once a new sparse index); after a refused write, until one succeeds (`write_probe`)',
    options: ['updates', 'ordered', 'writeConcern'],
    index: '`_id`',
    since: '3.6',
    onShards: 'one shard: `_id` is the shard key of what is upserted',
  },
  {
    command: 'delete',
    sentBy: '`remove`',
    options: ['deletes', 'ordered', 'writeConcern'],
    index: '`_id`',
    since: '3.6',
    onShards: 'one shard by `_id`; all of them for what is sharded by file',
  },
  {
    command: 'find',
    sentBy: '`get`, `getMany`, `find`, `scan`; `bulkUpsert` after a refusal; shard keys at the start',
    options: [
      'filter',
      'projection',
      'sort',
      'limit',
      'singleBatch',
      'batchSize',
      'maxTimeMS',
      'readConcern',
    ],
    index: `${DECLARED}; \`_id\``,
    since: '3.2',
    onShards: 'one shard by `_id` or by file, else all, merged in order',
  },
  {
    command: 'getMore',
    sentBy: 'the driver, where an answer passes 16 MiB',
    options: ['collection', 'batchSize'],
    index: '–',
    since: '3.2',
    onShards: 'the router holds the cursors of the shards',
  },
  {
    command: 'aggregate',
    sentBy: '`count` (`$match`, `$group`); `insertMissing` of ids that may be there',
    options: ['pipeline', 'cursor', 'maxTimeMS', 'readConcern'],
    index: DECLARED,
    since: '3.6',
    onShards: 'every shard counts, the router adds',
  },
  {
    command: 'explain',
    sentBy: '`explain` (tests, checks)',
    options: ['explain', 'verbosity'],
    index: DECLARED,
    since: '3.2',
    onShards: 'a plan of each shard',
  },
  {
    command: 'listCollections',
    sentBy: '`ensure`, `collections`',
    options: ['filter', 'cursor', 'nameOnly', 'authorizedCollections'],
    index: '–',
    since: '4.0',
    onShards: 'asks the primary shard',
  },
  {
    command: 'renameCollection',
    sentBy: '`replace` (`sentinel rebuild`), to the database `admin`',
    options: ['to', 'dropTarget', 'writeConcern'],
    index: '–',
    since: '3.6',
    onShards: 'sharded collections since 5.0; source and target sharded alike',
  },
  {
    command: 'drop',
    sentBy: '`drop`',
    options: ['writeConcern'],
    index: '–',
    since: '3.4',
    onShards: 'goes to all shards',
  },
  {
    command: 'dropDatabase',
    sentBy: 'end of `sentinel audit` (its own scratch database)',
    options: ['writeConcern'],
    index: '–',
    since: '3.4',
    onShards: 'goes to all shards',
  },
  {
    command: 'shardCollection',
    sentBy: '`sentinel collections --shard`, `makeReplacement`; to a router only, database `admin`',
    options: ['key', 'unique'],
    index: 'the hashed key, made by the server',
    since: '5.0 (without `enableSharding`)',
    onShards: 'spreads an empty collection over all shards',
  },
  {
    command: 'endSessions',
    sentBy: 'the driver, at the end',
    options: ['writeConcern'],
    index: '–',
    since: '3.6',
    onShards: 'as on a replica set',
  },
];

/** Returns the table of `docs/mongodb.md`. */
export function commandsTable(): string {
  const rows = COMMANDS.map(({ command, sentBy, options, index, since, onShards }) =>
    [`\`${command}\``, sentBy, options.map((option) => `\`${option}\``).join(' '), index, since, onShards]
      .map((cell) => cell || '–')
      .join(' | '),
  );
  return [
    '| command | sent by | options | index | since | on shards |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n');
}

/** Returns the table of error codes of `docs/mongodb.md`. */
export function errorCodesTable(): string {
  const kinds = ['passing', 'overloaded', 'conflict', 'permanent'] as const;
  const rows = kinds.map((kind) => {
    const listed = ERROR_CODES.filter(([, , of]) => of === kind).map(([code, name]) => `${code} ${name}`);
    const labels = Object.entries(ERROR_LABELS).filter(([, of]) => of === kind);
    return `| ${kind} | ${listed.join(', ')} | ${labels.map(([label]) => label).join(', ') || '–'} |`;
  });
  return ['| kind | codes | labels |', '|---|---|---|', ...rows].join('\n');
}
