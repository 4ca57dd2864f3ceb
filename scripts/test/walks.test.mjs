import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';

/** The folders in which a short name of a walk can be; a walk names a folder once and continues with file names. */
const SERVICES = ['ingestion', 'chain-verifier', 'anchoring', 'query', 'platform', 'agent'];
const PLACES = ['', 'services/', ...SERVICES.map((name) => `services/${name}/src/`)];
const FOLDERS = ['', 'services/query/src/proofs/', 'services/agent/src/verify/'];

t.test('every file that a walk in docs/architecture.md names exists', (t) => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, walks] = /## Four walks\n([^]*?)\n## /.exec(text);
  const names = [...new Set([...walks.matchAll(/`([\w./-]+(?:\.tsx?|\.mjs|\/))`/g)].map(([, name]) => name))];
  t.ok(names.length > 40, `${names.length} files`);
  for (const name of names)
    t.ok(
      [...PLACES, ...FOLDERS].some((place) => existsSync(join(root, place, name))),
      name,
    );
  t.end();
});
