/** Compares the bound of an expression's size with the compiler that the services and the agent use. */
import fc from '@sentinel-node/test-kit/properties';
import { RE2JS } from 're2js';
import t from 'tap';
import { LIMITS, regexpProgramSteps } from '@sentinel-node/contracts';

const compiled = (pattern: string): RE2JS | undefined => {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
};

const CHARACTER = fc.constantFrom(...'abkSK.^$-09é李 ', '😀');
const ESCAPED = fc.constantFrom(
  ...['\\d', '\\W', '\\s', '\\.', '\\\\', '\\pL', '\\P{Greek}', '\\x41', '\\x{10FFFF}', '\\b', '\\A', '\\z'],
  ...['\\101', '\\Qa.b\\E', '\\Q', '\\t', '\\-'],
);
const CLASS = fc.constantFrom(
  '[a-z]',
  '[^a]',
  '[]a]',
  '[^]a]',
  '[[:alpha:]_]',
  '[\\]x]',
  '[\\pL\\d]',
  '[k-l]',
  '[a|b(]',
);
const COUNT = fc.nat({ max: 40 });
const QUANTIFIER = fc.oneof(
  fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '??', '{', '{,3}', '{x}'),
  COUNT.map((n) => `{${n}}`),
  COUNT.map((n) => `{${n},}?`),
  fc.tuple(COUNT, COUNT).map(([n, more]) => `{${n},${n + more}}`),
);
const OPENING = fc.constantFrom('(', '(?:', '(?i)(', '(?i:', '(?P<name>', '(?<other>', '(?s-i:', '(?i)');
const { pattern: PATTERN } = fc.letrec<{ pattern: string; term: string; atom: string }>((tie) => ({
  pattern: fc
    .array(tie('term'), { maxLength: 5 })
    .chain((terms) => fc.constantFrom('', '|').map((separator) => terms.join(separator))),
  term: fc.tuple(tie('atom'), QUANTIFIER).map((parts) => parts.join('')),
  atom: fc.oneof(
    { depthSize: 'small' },
    CHARACTER,
    ESCAPED,
    CLASS,
    fc
      .tuple(OPENING, tie('pattern'))
      .map(([open, inner]) => (open === '(?i)' ? `${open}${inner}` : `${open}${inner})`)),
  ),
}));

t.test('no expression compiles to a larger program than the bound says', async (t) => {
  let taken = 0;
  fc.assert(
    fc.property(PATTERN, (pattern) => {
      const bound = regexpProgramSteps(pattern);
      // The compiler must not get a large one.
      if (bound > 20_000) return;
      const program = compiled(pattern);
      if (program === undefined) return;
      taken++;
      const size = program.programSize();
      if (size > bound) throw new Error(`${pattern}: ${size} instructions, bound ${bound}`);
    }),
    { numRuns: 3_000 },
  );
  t.ok(taken > 1_000, `${taken} expressions were compiled`);
});

t.test('any text has a size, in bounded time', async () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'()[]{}|*+?\\pQEx19,:^<>P'), maxLength: 500 }),
      (text) => {
        const steps = regexpProgramSteps(text);
        return Number.isFinite(steps) && steps > 0;
      },
    ),
    { numRuns: 2_000 },
  );
});

t.test('bombs are over the limit', async (t) => {
  const bombs = [
    'x{1000}'.repeat(71),
    '(x{30}){40}',
    '(x{0,30}){30}',
    '((((x{9}){9}){9}){9})',
    '(?:a|b|c|d|e|f|g|h){1000}',
    '(?i)(x?){500}',
    '[\\pL]'.repeat(100),
    'x{1000}{1000}',
    'x{500,}{3}',
  ];
  for (const bomb of bombs) t.ok(regexpProgramSteps(bomb) > LIMITS.regexpProgramSteps, bomb.slice(0, 40));
});

t.test('expressions that people give for rotated logs are far below it', async (t) => {
  const used = [
    'app\\.log\\.\\d+',
    'access\\.log\\.\\d+(\\.gz)?',
    'app\\.log\\.[0-9]+',
    'hosts\\.\\d+',
    'a.*',
    '.{1,255}',
    '(?i)server-\\d{4}-\\d{2}-\\d{2}(_\\d{1,6})?\\.log(\\.(gz|bz2|xz|zst))?',
    '[A-Za-z0-9._-]{1,100}\\.log\\.[0-9]{8}T[0-9]{6}Z',
    'a'.repeat(LIMITS.regexpCharacters),
  ];
  for (const pattern of used) t.ok(regexpProgramSteps(pattern) <= LIMITS.regexpProgramSteps, pattern);
});
