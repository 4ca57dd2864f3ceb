// docs/limits.md lists every pool: the shared resource, its size and shares, and the answer to callers beyond the limit.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import t from 'tap';
import { allPools, withPools } from '../limits-doc.mjs';
import { poolKinds, poolSites } from '../lib/pool-sites.mjs';
import { root } from '../lib/prepare.mjs';

const SERVICES = ['ingestion', 'chain-verifier', 'anchoring', 'query', 'platform'];

const sources = SERVICES.flatMap((service) =>
  readdirSync(join(root, 'services', service, 'src'), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name)),
).map((file) => [relative(root, file), readFileSync(file, 'utf8')]);

const kinds = poolKinds(sources);
const pools = (await allPools()).flatMap((part) => part.pools);
const names = new Set(pools.map(({ name }) => name));
const sites = sources.flatMap(([file, text]) => poolSites(file, text, kinds));

t.test('the tables of docs/limits.md are those of the code', async (t) => {
  const text = readFileSync(join(root, 'docs/limits.md'), 'utf8');
  t.equal(text, await withPools(text), 'if not: node scripts/limits-doc.mjs');
  t.equal(names.size, pools.length, 'names are unique');
});

t.test('whatever is kept for longer than a call belongs to a pool, or says what bounds it', async (t) => {
  t.ok(sites.length > 50, 'the sources are looked through');
  const silent = sites.filter(({ pools = [], reason = '' }) => pools.length === 0 && reason === '');
  t.same(
    silent.map(({ at, what }) => `${at} ${what}`),
    [],
    'give it `@pool NAME` and NAME a row in pools.ts, or `@boundedBy REASON`',
  );
});

t.test('a tag names a pool, and each pool stands somewhere in the code', async (t) => {
  const tagged = new Set(sites.flatMap((site) => site.pools ?? []));
  t.same(
    [...tagged].filter((name) => !names.has(name)),
    [],
    'tags without a row',
  );
  t.same(
    [...names].filter((name) => !tagged.has(name)),
    [],
    'rows without a place',
  );
});

t.test('the use of each pool can be read', async (t) => {
  const code = sources.map(([, text]) => text).join('\n');
  for (const { name, metric } of pools) {
    if (metric === null) continue;
    if (metric === undefined)
      t.match(
        code,
        new RegExp(`\\.pool\\(\\s*\\w+_POOLS(\\['${name}'\\]|\\.${name},)`),
        `${name} has its gauge`,
      );
    else
      t.match(code, new RegExp(`name: '${metric.replace(/^sentinel_|\{.*$/g, '')}'`), `${name}: ${metric}`);
  }
});

t.test('the rules find what they are for', async (t) => {
  const found = (text) =>
    poolSites('a.ts', text, new Set(['FairPool'])).map(({ what, pools, reason }) => ({
      what,
      pools,
      reason,
    }));
  const untagged = { pools: undefined, reason: undefined };
  t.same(found('class A { readonly #queue: string[] = []; }'), [{ what: 'kept: #queue', ...untagged }]);
  t.same(found('class A { readonly #cache = new Map<string, A>(); }'), [
    { what: 'kept: #cache', ...untagged },
  ]);
  t.same(found('const seen = new Set<string>();'), [{ what: 'kept: seen', ...untagged }]);
  t.same(found('export function createA() { const kept = new Map(); return (k) => kept.get(k); }'), [
    { what: 'kept: kept', ...untagged },
  ]);
  t.same(found("function f() { throw new ApiError('OVERLOADED', 'no'); }"), [
    { what: "gate: 'OVERLOADED'", ...untagged },
  ]);
  t.same(found("function f() { throw new OverloadedError('no'); }"), [
    { what: 'gate: OverloadedError', ...untagged },
  ]);
  t.same(found('function f() { return {\n/** @pool bodies */ bodies: new FairPool(x) }; }'), [
    { what: 'pool: new FairPool', pools: ['bodies'], reason: undefined },
  ]);
  t.same(found('/** Says.\n * @pool a, b */\nclass A { #x = []; }'), [
    { what: 'kept: #x', pools: ['a', 'b'], reason: undefined },
  ]);
  t.same(found('/** @boundedBy one request */\nclass A { #x = []; }'), [
    { what: 'kept: #x', pools: undefined, reason: 'one request' },
  ]);
  t.same(found('function f() { const local = new Map(); return local.size; }'), [], 'ends with its call');
});
