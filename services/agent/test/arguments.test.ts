import t from 'tap';
import { parseOptions } from '../src/arguments.ts';

const options = {
  trust: { type: 'string', short: 't' },
  log: { type: 'string', multiple: true },
  json: { type: 'boolean' },
} as const;
const parse = (...args: string[]) => parseOptions({ args, options, allowPositionals: true });

t.test('options are read as by node:util', async (t) => {
  const { positionals, values } = parse(
    'a',
    '--trust',
    'x',
    '--log',
    '1',
    '--json',
    '--log=2',
    'b',
    '--',
    '--trust',
  );
  t.same({ ...values }, { trust: 'x', log: ['1', '2'], json: true });
  t.same(positionals, ['a', 'b', '--trust']);
  t.throws(() => parse('--what'), { code: /^ERR_PARSE_ARGS/ });
});

t.test('an empty value is refused, which would be the current folder as a path', async (t) => {
  for (const empty of [['--trust', ''], ['--trust='], ['--log', 'x', '--log', ' '], ['-t', '']])
    t.throws(() => parse(...empty), {
      code: 'ERR_PARSE_ARGS_EMPTY_OPTION',
      message: /^--(trust|log) has an empty value$/,
    });
});

t.test(
  'an option that is given twice is refused, because one of the two would not be looked at',
  async (t) => {
    for (const twice of [
      ['--trust', 'x', '--trust', 'y'],
      ['--trust=x', 'a', '-t', 'x'],
      ['--json', '--json'],
    ])
      t.throws(() => parse(...twice), {
        code: 'ERR_PARSE_ARGS_REPEATED_OPTION',
        message: /^--(trust|json) is given twice$/,
      });
  },
);
