import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';
import { productionPackages } from '../notices.mjs';

/** Licences that allow this use; a new one is read before it is added. */
const KNOWN =
  /^\(?(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|MIT-0|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0|MIT\*)( (OR|AND) [\w.-]+)*\)?$/;
/** The Open BSV License, which SECURITY.md describes. */
const OWN = new Set(['@bsv/sdk']);

t.test('every package that runs in production has a licence that was read', (t) => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const packages = productionPackages(lock);
  t.ok(packages.length > 50, `${packages.length} packages`);
  const names = packages.map(({ name }) => name);
  for (const name of ['fastify', 'kafkajs', 'mongodb', '@bsv/sdk']) t.ok(names.includes(name), name);
  t.notOk(names.includes('tap'), 'what only tests use is left out');
  for (const { name, licence, text } of packages)
    if (OWN.has(name)) t.match(text, /Open BSV License/i, name);
    else t.match(licence ?? 'none', KNOWN, name);
  t.match(readFileSync(join(root, 'SECURITY.md'), 'utf8'), /Open BSV License/);
  t.end();
});
