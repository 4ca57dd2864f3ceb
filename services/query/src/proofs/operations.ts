import { bundle, EXAMPLE, keptReceipt, link, proof } from '../openapi/examples.ts';
import type { Operations } from '../openapi/operation.ts';

const states =
  'With what there is so far: `state` is PENDING (the entry waits for a batch), CUT (it is in a batch), SENT (the transaction of the batch is on the network) or MINED (it is in a block). How to check it: docs/formats.md, "Proof document".';

export const proofOperations: Operations = {
  'GET /proofs/:orgId/:deviceId/:fileId/:linkId': {
    summary: 'Proves an entry of the chain of a file',
    description: `Of a link, or of an entry that chains do not show. ${states}`,
    answer: proof,
  },
  'GET /proofs/:orgId/:deviceId/:fileId': {
    summary: 'Proves all entries of the chain of a file between two numbers',
    description:
      'One document, none left out, what the proofs share written once. `state` is that of the entry that has come least far; entries that wait for a batch are there without one. At most 1,000 entries and 8,388,608 bytes: 422 says which numbers to ask for instead. How to check it: docs/formats.md, "Bundle document".',
    query: { from: link.number, to: link.number },
    answer: bundle,
  },
  'GET /alerts/link/shared/proof/:id': {
    summary: 'Proves the first break of a shared alert',
    description: `Without the owner of the file. ${states}`,
    params: { id: EXAMPLE.alertId },
    refuses: ['SHARE_ENDED'],
    answer: { ...proof, subject: { type: 'FILE', id: EXAMPLE.fileId } },
  },
  'POST /proofs/receipt': {
    summary: 'Proves that the report of a receipt is in the log',
    description: `For whoever holds the receipt, without the owner of the file. 404 while the report has no link. A report that was sent more than once has one link: it is found among the 100 links before the receipt. ${states}`,
    body: keptReceipt,
    answer: { ...proof, subject: { type: 'FILE', id: EXAMPLE.fileId } },
  },
};
