/** Label and hint for each kind of file: its meaning and origin. */
import type { FileKind } from './inputs.ts';

interface FieldText {
  readonly label: string;
  readonly hint: string;
}

export const FIELD_TEXTS: Readonly<Record<FileKind, FieldText>> = {
  proofs: {
    label: 'Proof',
    hint: 'What you were given to check: a file proof_….json of the console or the API, or a bundle of all proofs of a file, proofs_….json. Several proofs are held against each other.',
  },
  trust: {
    label: 'Trust file',
    hint: 'Says whose log it is: key, network, first transaction. Its operator makes it with “sentinel trust”. Get it by another way than the proof; this page holds none.',
  },
  receipt: {
    label: 'Receipt',
    hint: 'Instead of a proof, or beside the one that the server shows for it: the signed word that a report was accepted. An agent keeps them in the folder “receipts” of its state folder.',
  },
  report: {
    label: 'Report of the receipt',
    hint: 'The report as it was sent: its SHA-256 is compared with that in the receipt.',
  },
  headers: {
    label: 'Block headers',
    hint: 'Show that the block of the proof exists. “sentinel headers” makes the file from a source of your own choice.',
  },
  seals: {
    label: 'Seals',
    hint: 'Every anchoring transaction of the log from the first on: they show that there is one log. Made by “sentinel seals”.',
  },
  checkpoint: {
    label: 'Kept checkpoint',
    hint: 'A checkpoint of the log (/checkpoint) that you kept from earlier or elsewhere: shows that it is the log that you know.',
  },
  consistency: {
    label: 'Consistency proof',
    hint: 'Leads from the kept checkpoint to the batch of the proof, or back: /consistency/FROM/TO. Not needed with seals that hold both. Of two proofs, or a bundle, one for each of their batches.',
  },
  policy: {
    label: 'Policy of witnesses',
    hint: 'Witnesses of your own choice and their quorum (C2SP tlog-policy), instead of those in the trust file.',
  },
  watched: {
    label: 'The watched file',
    hint: 'Compared with the size and the hash in the entry. It is hashed here, piece by piece, and never sent.',
  },
};
