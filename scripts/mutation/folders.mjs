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

const TREES = [
  'contracts/src/log/merkle*.ts',
  'contracts/src/log/batch-*.ts',
  'contracts/src/receipt/receipt.ts',
];
const PROOF_CHECKS = [
  'contracts/src/proof/*.ts',
  'contracts/src/ledger/anchor-script.ts',
  'contracts/src/ledger/ledger-spend.ts',
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

/** Tests of proof checks, which the other folders do not need. */
const PROOF_TESTS = [
  'trust',
  'proof',
  'proof-limits',
  'proof-bump',
  'proof-ledger',
  'proof-report',
  'headers',
  'witnessed-proof',
  'bundle-one-log',
  'bundle-pair',
  'bundle-report',
  'bundle',
  'verify-inputs',
];

const CONTRACT_TESTS = [
  'checkpoint',
  'deadline',
  'thrown',
  'notice-codes',
  'promise',
  'file-path',
  'ed25519-key',
  'device-policy',
  'merkle-refusals',
  'receipt',
  'merkle',
  'merkle-range',
  'batch',
  'attributes',
  'bytes',
  'canonical-json',
  'csv',
  'ids',
  'hashes',
  'plain-report-times',
  'receipt-check',
  'readable',
  'byte-lines',
  'transaction',
  'key-spend',
  'seals',
  'seal-check',
  'real-time',
  'regexp-size',
  'visible',
  'zoned-format',
  'presentation',
  'strict-json',
  'tile',
  'tile-nodes',
  'tlog-proof',
  'cosignature',
  'witness-policy',
  'headers',
  'compact-records',
  'registry-record',
];

/** Tests of pure code that are not run: each takes seconds, which a mutant costs again. The value says why. */
export const TOO_SLOW = new Map([
  ['contracts/test/proof-tamper.test.ts', 'changes every byte of proofs'],
  ['contracts/test/bundle-tamper.test.ts', 'changes every byte of bundles'],
  ['contracts/test/pair-tamper.test.ts', 'changes every byte of pairs of proofs'],
  ['contracts/test/readable-schemas.test.ts', 'goes over all schemas'],
  ['contracts/test/vectors.test.ts', 'makes all vectors again'],
  ['contracts/test/second-checker.test.ts', 'starts Python'],
  ['contracts/test/second-documents.test.ts', 'starts Python'],
]);

/** @type {MutationFolder[]} */
export const FOLDERS = [
  {
    name: 'ingestion',
    workspace: 'services/ingestion',
    mutate: ['services/ingestion/src/domain/**/*.ts', 'services/ingestion/src/backlog.ts'],
    tests: [
      'decisions',
      'deliveries',
      'exact-numbers',
      'domain',
      'backlog',
      'heard-device',
      'receipt-text',
      'bulk-answer-text',
    ],
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
    mutate: ['services/agent/src/domain/**/*.ts', 'services/agent/src/schedule.ts'],
    tests: ['pace', 'back-off', 'schedule', 'step', 'watching', 'archive-order', 'decisions'],
  },
  {
    name: 'anchoring',
    workspace: 'services/anchoring',
    mutate: ['services/anchoring/src/domain/**/*.ts', 'services/anchoring/src/standing/judge.ts'],
    tests: ['judge', 'blocks', 'decisions', 'log-nodes', 'plan-consolidation', 'cut', 'tile-bytes'],
  },
  {
    name: 'contracts-trees',
    workspace: 'contracts',
    mutate: TREES,
    tests: ['merkle-refusals', 'receipt', 'merkle', 'merkle-range', 'batch', 'checkpoint'],
  },
  {
    name: 'contracts-proofs',
    workspace: 'contracts',
    mutate: PROOF_CHECKS,
    tests: ['receipt', 'merkle', 'batch', 'seals', ...PROOF_TESTS],
  },
  {
    name: 'contracts',
    workspace: 'contracts',
    mutate: [
      'contracts/src/**/*.ts',
      ...[...TREES, ...PROOF_CHECKS, ...DECLARATIONS].map((glob) => `!${glob}`),
    ],
    tests: CONTRACT_TESTS,
    ignoreStatic: true,
  },
  {
    name: 'contracts-declarations',
    workspace: 'contracts',
    mutate: DECLARATIONS,
    tests: [...new Set([...CONTRACT_TESTS, ...PROOF_TESTS])],
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
      'registry-labels',
      'registry-maintenance',
      'registry-never-told',
      'registry-service-token',
      'registry-webhook',
      'activity-days',
      'notifications-domain',
    ],
  },
  {
    name: 'audit',
    workspace: 'services/all-in-one',
    mutate: [
      'activity',
      'consecutive-ranges',
      'differing-fields',
      'file-owners',
      'finding',
      'unanchored',
    ].map((name) => `services/all-in-one/src/audit/${name}.ts`),
    tests: ['audit-unanchored', 'file-owners', 'consecutive-ranges'],
  },
];
