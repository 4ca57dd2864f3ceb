// Code that `npm run mutation` measures. Test files are listed fastest first: the first failing test ends a mutant.

/**
 * @typedef {object} MutationFolder
 * @property {string} name the name on the command line
 * @property {string} workspace the package that is copied and compiled
 * @property {string[]} mutate globs from the root; `!` leaves a file out
 * @property {string[]} tests names in the workspace's `test` folder, without `.test.ts`
 * @property {boolean} [ignoreStatic] leaves out mutants that act while modules load; each would run every test
 * @property {string[]} [reads] other files that the tests read, from the root
 */

const TREES = ['contracts/src/merkle*.ts', 'contracts/src/batch-*.ts', 'contracts/src/receipt.ts'];
const PROOF_CHECKS = [
  'contracts/src/proof*.ts',
  'contracts/src/anchor-script.ts',
  'contracts/src/ledger-spend.ts',
];

/** Schemas, records and tables of constants; nearly all of this code runs while modules load. */
const DECLARATIONS = [
  'contracts/src/schemas/*.ts',
  'contracts/src/records/*.ts',
  'contracts/src/codes.ts',
  'contracts/src/collections.ts',
  'contracts/src/enums.ts',
  'contracts/src/errors.ts',
  'contracts/src/limits.ts',
  'contracts/src/topics.ts',
  'contracts/src/index.ts',
];

const CONTRACT_TESTS = [
  'checkpoint',
  'device-policy',
  'merkle',
  'receipt',
  'batch',
  'bytes',
  'canonical-json',
  'ids',
  'hashes',
  'seals',
  'seal-check',
  'real-time',
  'regexp-size',
  'zoned-format',
  'presentation',
  'strict-json',
  'proof',
  'proof-ledger',
  'tile',
  'tile-nodes',
  'tlog-proof',
  'trust',
];

/** @type {MutationFolder[]} */
export const FOLDERS = [
  {
    name: 'ingestion',
    workspace: 'services/ingestion',
    mutate: ['services/ingestion/src/domain/**/*.ts', 'services/ingestion/src/backlog.ts'],
    tests: ['decisions', 'domain', 'backlog', 'heard-device', 'receipt-text', 'bulk-answer-text'],
  },
  {
    name: 'chain-verifier',
    workspace: 'services/chain-verifier',
    mutate: ['services/chain-verifier/src/domain/**/*.ts'],
    tests: [
      'table',
      'sequence',
      'policy',
      'alerts',
      'verdicts',
      'entries',
      'heads',
      'parking',
      'attributes',
      'rules-3',
      'rules-4',
      'golden',
    ],
  },
  {
    name: 'agent',
    workspace: 'services/agent',
    mutate: ['services/agent/src/domain/**/*.ts'],
    tests: ['step', 'watching', 'decisions'],
  },
  {
    name: 'anchoring',
    workspace: 'services/anchoring',
    mutate: ['services/anchoring/src/domain/**/*.ts'],
    tests: ['decisions', 'log-nodes', 'plan-consolidation', 'cut', 'tile-bytes'],
  },
  {
    name: 'contracts-trees',
    workspace: 'contracts',
    mutate: TREES,
    tests: ['merkle-refusals', 'receipt', 'merkle', 'batch', 'checkpoint'],
  },
  {
    name: 'contracts-proofs',
    workspace: 'contracts',
    mutate: PROOF_CHECKS,
    tests: ['receipt', 'merkle', 'batch', 'trust', 'proof', 'proof-ledger'],
  },
  {
    name: 'contracts',
    workspace: 'contracts',
    mutate: ['contracts/src/*.ts', ...[...TREES, ...PROOF_CHECKS, ...DECLARATIONS].map((glob) => `!${glob}`)],
    tests: CONTRACT_TESTS.filter((test) => !test.startsWith('proof')),
    ignoreStatic: true,
  },
  {
    name: 'contracts-declarations',
    workspace: 'contracts',
    mutate: DECLARATIONS,
    tests: CONTRACT_TESTS,
  },
  {
    name: 'query-registry',
    workspace: 'services/query',
    mutate: ['services/query/src/registry/**/*.ts'],
    tests: [
      'registry-alert',
      'registry-decisions',
      'registry-device',
      'registry-enrolment',
      'registry-organization',
      'registry-expected',
      'registry-maintenance',
      'registry-service-token',
      'registry-webhook',
      'notifications-domain',
    ],
  },
];
