/** Tests the file that the console makes of a chain. */
import type { Link } from '@sentinel-node/contracts';
import t from 'tap';
import { chainCsv } from '../src/files/chain-csv.ts';
import { hash, timeId } from './fixtures.ts';

const NOW = Date.parse('2026-03-09T12:00:00.000Z');

const link = (more: Partial<Link> = {}): Link => ({
  id: timeId(NOW, 0),
  number: 0,
  hash: hash('content'),
  firstHash: true,
  type: 'BASELINE',
  length: 12,
  timestamp: new Date(NOW).toISOString(),
  linkHash: hash('link'),
  bsvId: null,
  anchor: { state: 'BATCHED', batch: 3, confirmations: 0 },
  alerts: [],
  ...more,
});

const linesOf = async (...links: Link[]): Promise<string[]> => {
  const { text } = await chainCsv(() => Promise.resolve({ links, newer: false, older: false }));
  return text.split('\r\n');
};

t.test('a chain is a table with a byte order mark, and - stands for what is missing', async (t) => {
  t.same(await linesOf(link()), [
    '\ufeffNumber;Id;Kind;Timestamp;Content hash;Length;Entry hash;Alert;Anchoring;Batch;Confirmations;Bsv transaction id',
    `0;${timeId(NOW, 0)};BASELINE;2026-03-09T12:00:00.000Z;${hash('content')};12;${hash('link')};-;BATCHED;3;0;-`,
    '',
  ]);
});

// A server that lies may send any text.
t.test('no cell is a formula, whichever character a spreadsheet takes for the separator', async (t) => {
  const cellOf = async (bsvId: string): Promise<string | undefined> =>
    (await linesOf(link({ bsvId })))[1]?.split(';').at(-1);
  t.equal(await cellOf('=1+1'), `'=1+1`);
  t.equal(await cellOf('x,=1+1'), `x,'=1+1`);
  t.equal(await cellOf('x,"@cmd'), `"x,""'@cmd"`);
});
