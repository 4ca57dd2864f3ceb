import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';
import { withAuditTable } from '../audit-table.mjs';
import { withMongodbTables } from '../mongodb-tables.mjs';
import { costTable, withCosts } from '../readme-costs.mjs';
import { withTable } from '../readme-config.mjs';

t.test('the table of settings in README.md is the one that the services check', async (t) => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  t.equal(text, await withTable(text), 'if not: node scripts/readme-config.mjs');
});

t.test('the tables in docs/mongodb.md are those of the code', async (t) => {
  const text = readFileSync(join(root, 'docs/mongodb.md'), 'utf8');
  t.equal(text, await withMongodbTables(text), 'if not: node scripts/mongodb-tables.mjs');
});

t.test('the table in docs/audit.md is that of the code', async (t) => {
  const text = readFileSync(join(root, 'docs/audit.md'), 'utf8');
  t.equal(text, await withAuditTable(text), 'if not: node scripts/audit-table.mjs');
});

t.test('what anchors cost in README.md is what an anchor costs', async (t) => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  t.equal(text, await withCosts(text), 'if not: node scripts/readme-costs.mjs');
  const [, , standard, , critical] = (await costTable([100])).split('\n').map((line) => line.split(' | '));
  const costs = (row) => [row[2], row[3]].map((cell) => Number(cell.replaceAll(/[, |]/g, '')));
  t.same(costs(standard), [48, 48 * 32], 'a cut each half hour, 314 bytes each');
  t.same(costs(critical), [2_880, 2_880 * 32]);
});
