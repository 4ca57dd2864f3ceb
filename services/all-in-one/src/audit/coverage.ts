/** What the audit compares of each collection, and what not: a test fails for a collection that is in neither list. */
import { VIEW_COLLECTIONS, VIEWS } from '@sentinel-node/query';
import { NOT_VIEWS } from '../not-views.ts';

/**
 * `log`: each document is compared with what the log gives. `part`: some of it. `other`: compared with something else than the
 * log. `store`: nothing but the store says what it holds. `passes`: the same, and what it holds passes by itself.
 */
export type Comparison = 'log' | 'part' | 'other' | 'store' | 'passes';

interface Covered {
  readonly by: Comparison;
  /** For a person: how it is compared, or what a changed document could do unnoticed. */
  readonly words: string;
}

/** Collections that are not views. */
const OTHERS: Readonly<Record<string, Covered>> = {
  streams: {
    by: 'part',
    words:
      'each commit with its record of the registry; not the policies beside it, which have a record of their own, and not a commit that a running system is about to publish; on a stopped one, the audit publishes it first',
  },
  claims: {
    by: 'log',
    words:
      'each claim with its record of the file events; not one that a running system is about to publish; on a stopped one, the audit publishes it first',
  },
  reservations: {
    by: 'log',
    words:
      'who has each name, address and wallet identity, with the newest record of each organisation; what nobody has by the log, and its time has not come yet; the form of all; not when it was made. One that nobody has by the log is left by a command that ended early, and others may take it',
  },
  heads: { by: 'log', words: 'the state from which the verifier goes on, with the reports judged again' },
  cuts: {
    by: 'log',
    words:
      'each cut, also the newest one that is not published yet, and the state from which anchoring goes on; a document of no batch is a difference',
  },
  anchor_transactions: {
    by: 'part',
    words:
      'the signed transaction and its record with the batch, the ledger and the log; not the notes of how it was sent; a document of no batch is a difference',
  },
  anchors: {
    by: 'log',
    words:
      'the record that the API shows of each batch; not its evidence, which is in `anchor_proofs`; a document of no batch is a difference',
  },
  anchored_heads: { by: 'log', words: 'the last anchored entry of each file with the batches' },
  deployment: {
    by: 'other',
    words:
      'the key of the log with the master secret, at every start and command; the audit compares all of it',
  },
  checkpoints: {
    by: 'other',
    words:
      'each place of a group is between the position that the log keeps of it and the end of the log, at every start and command; one moved between these is not found, by which notices can be passed over; a document of another id is read by nobody',
  },
  dev_ledger_transactions: {
    by: 'other',
    words:
      'as answers of the ledger, with the signed transactions; not others, which only the development ledger asks for',
  },
  dev_ledger_spends: {
    by: 'store',
    words: 'which output a transaction spends: only the development ledger asks',
  },
  dev_ledger_blocks: {
    by: 'other',
    words:
      'as answers of the ledger, with the signed transactions; not blocks without one, which `sentinel headers` compares',
  },
  block_headers: {
    by: 'other',
    words: 'links, work and targets of the headers, at every start and in the audit of a public ledger',
  },
  activations: {
    by: 'store',
    words:
      'whom a link of an invitation belongs to: a changed one leads nowhere, as the registry has the hash of the link too',
  },
  alert_shares: {
    by: 'store',
    words: 'with whom an alert was shared: an address can be put in or taken out',
  },
  saved_views: { by: 'store', words: 'the saved filters of a person' },
  enrolment_counts: {
    by: 'store',
    words: 'how often an enrolment token was used: it can be used more often',
  },
  enrolment_uses: {
    by: 'store',
    words:
      'which device a use of an enrolment token made: the same agent can get its key again, or not any more',
  },
  mails: { by: 'store', words: 'mails that wait: one can be taken out, changed or put in' },
  mails_given_up: { by: 'store', words: 'what is shown of mails that could not be sent' },
  webhook_notices: {
    by: 'store',
    words: 'calls of webhooks that wait: one can be taken out, changed or put in',
  },
  webhook_schedules: { by: 'store', words: 'when a webhook is called next, and whether it is paused' },
  notification_settings: { by: 'store', words: 'whether a recipient gets mails: they can be switched off' },
  contact_hours: {
    by: 'store',
    words: 'in which hours devices were heard: the log keeps the newest heartbeat of a device only',
  },
  anchor_funds: { by: 'store', words: 'imported outputs: their proofs are checked when they are spent' },
  cosignatures: { by: 'store', words: 'signatures of witnesses, which each reader checks' },
  anchoring_operations: { by: 'store', words: 'what organisations were told of anchoring last' },
  anchoring_contradictions: {
    by: 'store',
    words: 'batches that contradicted what was anchored: one that is taken out is found again by this audit',
  },
  clock_marks: { by: 'store', words: 'which times a clock gave that was ahead' },
  sessions: { by: 'passes', words: 'who is signed in: one can be put in, of any user' },
  sign_ins: { by: 'passes', words: 'sign-ins under way' },
  service_token_uses: { by: 'passes', words: 'when and from where a service token was used last' },
  webhook_attempts: { by: 'passes', words: 'the log of deliveries' },
  notice_mailboxes: { by: 'passes', words: 'what the next daily mail of a recipient has' },
  notice_markers: { by: 'passes', words: 'what people were told already: they are told twice, or not' },
  notice_states: { by: 'passes', words: 'what the notifier saw last: something is told twice, or not' },
  share_days: { by: 'passes', words: 'counts of shared alerts of a day' },
  mail_days: { by: 'passes', words: 'counts of mails of a day' },
  device_seats: { by: 'passes', words: 'what is being added: a limit can be passed, or reached too early' },
  dev_mails: { by: 'passes', words: 'mails that the development server shows instead of sending them' },
  store_tests: { by: 'passes', words: 'documents of the self-test' },
  refused_files: {
    by: 'passes',
    words: 'whose last report was refused: it can be hidden until the next report',
  },
  anchoring_looks: { by: 'passes', words: 'up to which batch a start needs not look again' },
  anchoring_chain_marks: { by: 'passes', words: 'blocks with which the anchors were last compared' },
  rebuilds: { by: 'passes', words: 'rebuilds under way' },
};

/** What the audit compares of each collection, by name, in the order in which the collections are listed. */
export const COVERAGE: ReadonlyMap<string, Covered> = new Map([
  ...VIEW_COLLECTIONS.map(({ name }): [string, Covered] => [
    name,
    name === VIEWS.deviceFirstContacts
      ? {
          by: 'part',
          words:
            'rebuilt from the log; a first contact that is earlier than the log has it is taken, because the log keeps only the newest heartbeat of a device',
        }
      : { by: 'log', words: 'rebuilt from the log' },
  ]),
  ...Object.entries(OTHERS),
]);

const namesOf = (by: Comparison): string[] =>
  NOT_VIEWS.map(({ spec }) => spec.name).filter((name) => COVERAGE.get(name)?.by === by);

/** Collections of which the audit compares nothing. */
export const NOT_COMPARED: readonly string[] = [...namesOf('store'), ...namesOf('passes')];

/**
 * Returns the sentences that name the collections of which the audit compares nothing.
 * @param unknown those that this version does not know
 */
export function notComparedWords(unknown: readonly string[]): string[] {
  return [
    `not compared, because nothing but the store says what they hold: ${namesOf('store').join(', ')} (docs/audit.md)`,
    `not compared, because what they hold passes by itself: ${namesOf('passes').join(', ')} (docs/audit.md)`,
    ...(unknown.length === 0
      ? []
      : [`not compared, because this version does not know them: ${unknown.join(', ')}`]),
  ];
}

const BY_WORDS: Readonly<Record<Comparison, string>> = {
  log: 'with the log',
  part: 'in part',
  other: 'with something else',
  store: '**not compared**',
  passes: '**not compared**; passes by itself',
};

/** Returns the table of `docs/audit.md`; views that are compared alike share a row. */
export function coverageTable(): string {
  const rows = new Map<string, string[]>();
  for (const [name, { by, words }] of COVERAGE) {
    const cells = `${BY_WORDS[by]} | ${words}`;
    rows.set(cells, [...(rows.get(cells) ?? []), `\`${name}\``]);
  }
  return [
    '| collection | compared | how, or what a changed document could do unnoticed |',
    '|---|---|---|',
    ...[...rows].map(([cells, names]) => `| ${names.join(', ')} | ${cells} |`),
  ].join('\n');
}
