// docs/decisions/README.md lists every record with its title, and names the numbers that no record has.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';

const FOLDER = join(root, 'docs/decisions');
const text = readFileSync(join(FOLDER, 'README.md'), 'utf8');
const files = readdirSync(FOLDER).filter((name) => name !== 'README.md');

t.test('every record is in the list, in order, with its title and a line about it', async (t) => {
  const rows = [...text.matchAll(/^\| \[(\d{3})\]\(([^)]+)\) \| (.+?) \| (.+) \|$/gm)];
  t.same(
    rows.map(([, number, file, title]) => [file, `# ${number} ${title}`]),
    files.sort().map((file) => [file, readFileSync(join(FOLDER, file), 'utf8').split('\n', 1)[0]]),
  );
  for (const [, number, file, , line] of rows) {
    t.ok(file.startsWith(`${number}-`), file);
    t.ok(line.trim().length > 0, `${file}: a line`);
  }
});

t.test('numbers are given once, and those without a record are named', async (t) => {
  const numbers = files.map((file) => Number(file.slice(0, 3)));
  t.equal(new Set(numbers).size, numbers.length);
  const all = Array.from({ length: Math.max(...numbers) }, (_, index) => index + 1);
  const absent = all
    .filter((number) => !numbers.includes(number))
    .map((number) => String(number).padStart(3, '0'));
  const [, named] = /No record has the numbers (.+)\./.exec(text);
  t.same(named.match(/\d{3}/g), absent);
});
