import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';
import { withMongodbTables } from '../mongodb-tables.mjs';
import { withTable } from '../readme-config.mjs';

t.test('the table of settings in README.md is the one that the services check', async (t) => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  t.equal(text, await withTable(text), 'if not: node scripts/readme-config.mjs');
});

t.test('the tables in docs/mongodb.md are those of the code', async (t) => {
  const text = readFileSync(join(root, 'docs/mongodb.md'), 'utf8');
  t.equal(text, await withMongodbTables(text), 'if not: node scripts/mongodb-tables.mjs');
});
