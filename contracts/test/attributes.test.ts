import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { Compile } from 'typebox/compile';
import {
  ATTRIBUTE_NAMES,
  attributeChanges,
  AttributeChangesSchema,
  AttributesSchema,
  FILE_KINDS,
  LIMITS,
  policyHash,
  reportDigest,
  watchedDiffer,
  type Attributes,
} from '../src/index.ts';
import { POLICIES } from './vector-inputs.ts';

const SOME: Attributes = { kind: 'FILE', mode: '0644', owner: 0, group: 0, size: 3, inode: 7 };
const schema = Compile(AttributesSchema);
const changesSchema = Compile(AttributeChangesSchema);

const attributes: fc.Arbitrary<Attributes> = fc.record(
  {
    kind: fc.constantFrom(...FILE_KINDS),
    linkTarget: fc.string({ minLength: 1, maxLength: 3 }),
    mode: fc.constantFrom('0600', '0644', '4755'),
    owner: fc.nat(2),
    group: fc.nat(2),
    size: fc.nat(2),
    mtime: fc.constantFrom('2026-11-21T10:00:00.000Z', '2026-11-21T10:00:01.000Z'),
    inode: fc.nat(2),
    xattrs: fc.constantFrom('a'.repeat(64), 'b'.repeat(64)),
  },
  { requiredKeys: ['kind'] },
);

t.test('what changed is named with its value before and after', async (t) => {
  t.same(attributeChanges(SOME, { ...SOME, mode: '0666', owner: 1000 }), [
    { name: 'mode', before: '0644', after: '0666' },
    { name: 'owner', before: '0', after: '1000' },
  ]);
  t.same(attributeChanges(SOME, SOME), []);
});

t.test('a link has a target, another kind has none', async (t) => {
  const link: Attributes = { ...SOME, kind: 'LINK', linkTarget: '/a' };
  t.same(attributeChanges(SOME, link), [
    { name: 'kind', before: 'FILE', after: 'LINK' },
    { name: 'linkTarget', before: null, after: '/a' },
  ]);
  t.same(attributeChanges(link, SOME).at(-1), { name: 'linkTarget', before: '/a', after: null });
  t.same(attributeChanges(SOME, { ...SOME, linkTarget: '/b' }), [], 'a target of no link says nothing');
  t.same(attributeChanges(link, { ...link, linkTarget: '/b' }), [
    { name: 'linkTarget', before: '/a', after: '/b' },
  ]);
});

t.test('what one report leaves out is not compared', async (t) => {
  t.same(attributeChanges(SOME, { kind: 'FILE' }), []);
  t.same(attributeChanges({ kind: 'FILE' }, SOME), []);
  t.same(attributeChanges(SOME, { kind: 'FOLDER' }), [{ name: 'kind', before: 'FILE', after: 'FOLDER' }]);
});

t.test('mode, owners, kind and target are watched, the rest is only told', async (t) => {
  const link: Attributes = { ...SOME, kind: 'LINK', linkTarget: '/a', mtime: '2026-11-21T10:00:00.000Z' };
  for (const change of [{ mode: '0600' }, { owner: 1 }, { group: 1 }, { linkTarget: '/b' }])
    t.ok(watchedDiffer(link, { ...link, ...change }), JSON.stringify(change));
  t.ok(watchedDiffer(SOME, { ...SOME, kind: 'LINK', linkTarget: '/a' }));
  for (const change of [{ size: 4 }, { inode: 8 }, { mtime: '2026-11-21T10:00:01.000Z' }])
    t.notOk(watchedDiffer(link, { ...link, ...change }), JSON.stringify(change));
});

t.test('changes are in a fixed order, fit their schema, and undo each other', async () => {
  fc.assert(
    fc.property(attributes, attributes, (a, b) => {
      const changes = attributeChanges(a, b);
      const names = changes.map(({ name }) => name);
      const back = attributeChanges(b, a).map(({ name, before, after }) => {
        return { name, before: after, after: before };
      });
      return (
        changesSchema.Check(changes) &&
        JSON.stringify(names) === JSON.stringify(ATTRIBUTE_NAMES.filter((name) => names.includes(name))) &&
        JSON.stringify(back) === JSON.stringify(changes) &&
        (names.length > 0 || !watchedDiffer(a, b)) &&
        schema.Check(a)
      );
    }),
  );
});

t.test('each member has its bounds', async (t) => {
  const misfits: Record<string, unknown> = {
    'no kind': { mode: '0644' },
    'an unknown kind': { kind: 'DOOR' },
    'a negative mode': { ...SOME, mode: '-644' },
    'a mode as a number': { ...SOME, mode: 420 },
    'a mode that is not octal': { ...SOME, mode: '0888' },
    'a mode of a kind too': { ...SOME, mode: '100644' },
    'an owner below zero': { ...SOME, owner: -1 },
    'an owner beyond 32 bits': { ...SOME, owner: 2 ** 32 },
    'a group with a fraction': { ...SOME, group: 0.5 },
    'a size below zero': { ...SOME, size: -1 },
    'an inode beyond 2^53': { ...SOME, inode: 2 ** 53 },
    'a time without milliseconds': { ...SOME, mtime: '2026-11-21T10:00:00Z' },
    'an empty target': { ...SOME, linkTarget: '' },
    'a target of a megabyte': { ...SOME, linkTarget: 'x'.repeat(1_048_576) },
    'a short hash': { ...SOME, xattrs: 'ab' },
    'an unknown member': { ...SOME, acl: 'x' },
  };
  for (const [name, value] of Object.entries(misfits)) t.notOk(schema.Check(value), name);
  t.ok(schema.Check({ ...SOME, owner: 2 ** 32 - 1, linkTarget: 'x'.repeat(LIMITS.pathCharacters) }));
});

t.test(
  'the policy hash tells that attributes are watched, and is what it was when they are not',
  async (t) => {
    const [policy] = POLICIES;
    t.equal(policyHash(policy!), 'f43022717ca20902e9d9fd6f99b692cff75e9b7dfcf377ed9203ce78b55679f6');
    t.not(policyHash({ ...policy!, watchAttributes: true }), policyHash(policy!));
  },
);

t.test('a report with other attributes is another report', async (t) => {
  const report = { timestamp: '2026-11-21T10:00:00.000Z', change: 'UNCHANGED', versions: [] };
  const digests = [
    report,
    { ...report, attributes: SOME },
    ...ATTRIBUTE_NAMES.map((name) => {
      const kind = { ...SOME, kind: 'LINK', linkTarget: '/a', mtime: report.timestamp, xattrs: 'a' } as const;
      const { [name]: _left, ...rest } = kind;
      return { ...report, attributes: rest as Attributes };
    }),
  ].map(reportDigest);
  t.equal(new Set(digests).size, digests.length);
});
