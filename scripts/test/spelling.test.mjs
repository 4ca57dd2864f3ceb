// Texts for people in the console, in answers of the API and in mails spell "organization" as the specification does there.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';

const FOLDERS = ['contracts/src', 'services/query/src', 'web/src'];
/** docs/limits.md is written from it, in the spelling of the documentation. */
const POOLS = 'services/query/src/pools.ts';

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

t.test('texts for people spell one word in one way', async (t) => {
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  );
  t.ok(files.length > 50, 'the sources are found');
  const other = files.filter(
    (file) => file !== POOLS && /organisation/i.test(withoutComments(readFileSync(join(root, file), 'utf8'))),
  );
  t.same(other, []);
});
