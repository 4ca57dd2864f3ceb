import type { Command } from '@sentinel-node/agent';

/** The operator's commands; each loads its modules when called. */
export const commands: readonly Command[] = [
  {
    name: 'anchors',
    summary: 'shows the newest anchors, and goes on after a refused one',
    run: async (args) => (await import('./anchors/command.ts')).runAnchors(args),
  },
  {
    name: 'audit',
    summary: 'rebuilds the views from the log and compares, checks chains and anchors',
    run: async (args) => (await import('./audit/command.ts')).runAudit(args),
  },
  {
    name: 'backup',
    summary: 'writes what is not a view, and the log, into a folder',
    run: async (args) => (await import('./backup/command.ts')).runBackup(args),
  },
  {
    name: 'collections',
    summary: 'makes the collections and indexes in MongoDB, or shards an empty database',
    run: async (args) => (await import('./collections/command.ts')).runCollections(args),
  },
  {
    name: 'dead-letters',
    summary: 'shows the files whose records cannot be judged, and replays them',
    run: async (args) => (await import('./dead-letters/command.ts')).runDeadLetters(args),
  },
  {
    name: 'headers',
    summary: 'writes the block headers that checkers of proofs need',
    run: async (args) => (await import('./headers/command.ts')).runHeaders(args),
  },
  {
    name: 'funds',
    summary: 'shows what anchors are paid with, and takes in payments',
    run: async (args) => (await import('./funds/command.ts')).runFunds(args),
  },
  {
    name: 'rebuild',
    summary: 'makes views anew from the log and puts them in place',
    run: async (args) => (await import('./rebuild/command.ts')).runRebuild(args),
  },
  {
    name: 'restore',
    summary: 'puts a backup into empty stores',
    run: async (args) => (await import('./backup/restore-command.ts')).runRestore(args),
  },
  {
    name: 'seals',
    summary: 'writes the chain of anchor transactions, which shows checkers one log',
    run: async (args) => (await import('./seals/command.ts')).runSeals(args),
  },
  {
    name: 'topics',
    summary: 'makes the topics in Kafka; prints records of a topic as JSON',
    run: async (args) => (await import('./topics/command.ts')).runTopics(args),
  },
  {
    name: 'trust',
    summary: 'prints the trust file that checkers of proofs need',
    run: async (args) => (await import('./trust/command.ts')).runTrust(args),
  },
];
