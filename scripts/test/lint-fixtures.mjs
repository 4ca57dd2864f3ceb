/**
 * Code that breaks each rule of the two linters, by rule. A fixture stands in `scripts/fixture.mjs`, for rules of plain
 * JavaScript, or in the file that is named.
 */
const JS = 'scripts/fixture.mjs';
const TS = 'services/query/src/fixture.ts';
const TEST = 'services/query/test/fixture.ts';
const TSX = 'web/src/Fixture.tsx';

const rows = (file, codes) => Object.entries(codes).map(([rule, code]) => ({ rule, file, code }));

/** A case that is missing only when the project's `noUncheckedIndexedAccess` says that `list[0]` can be undefined. */
const OPEN_SWITCH =
  "export function f(list: 'a'[]) {\n  const x = list[0];\n  switch (x) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}";
/** A folder of every TypeScript project: a file outside all of them is read with other options. */
export const PROJECT_FILES = [
  'contracts/src/fixture.ts',
  'contracts/test/fixture.ts',
  'services/platform/src/fixture.ts',
  'services/platform/test/fixture.ts',
  'services/test-kit/src/fixture.ts',
  'services/test-kit/test/fixture.ts',
  'services/ingestion/src/fixture.ts',
  'services/chain-verifier/test/fixture.ts',
  'services/anchoring/test/fixture.ts',
  'services/query/test/fixture.ts',
  'services/agent/test/fixture.ts',
  'services/all-in-one/test/fixture.ts',
  'web/src/Fixture.tsx',
  'web/test/fixture.ts',
];

export const OXLINT = [
  ...PROJECT_FILES.map((file) => ({
    rule: 'typescript(switch-exhaustiveness-check)',
    file,
    code: OPEN_SWITCH,
  })),
  ...rows(TS, {
    'typescript(await-thenable)': 'export const f = async () => {\n  await 1;\n};',
    'typescript(no-floating-promises)': 'export function f() {\n  Promise.resolve(1);\n}',
    'typescript(unbound-method)':
      'class X {\n  y = 1;\n  z() {\n    return this.y;\n  }\n}\nexport const f = (x: X) => [1].map(x.z);',
    'typescript(no-misused-promises)': 'export const f = () => [1].forEach(async () => {});',
    'typescript(no-unsafe-type-assertion)': 'export const f = (x: unknown) => x as string;',
    'typescript(ban-ts-comment)': '// @ts-ignore\nexport const x = 1;',
    'typescript(consistent-type-imports)':
      "import { Readable } from 'node:stream';\nexport type X = Readable;",
    'typescript(no-duplicate-enum-values)': 'export enum X {\n  A = 1,\n  B = 1,\n}',
    'typescript(no-empty-object-type)': 'export type X = {};',
    'typescript(no-explicit-any)': 'export type X = any;',
    'typescript(no-extra-non-null-assertion)': 'export const f = (x?: string) => x!!.length;',
    'typescript(no-misused-new)': 'export interface X {\n  constructor(): void;\n}',
    'typescript(no-namespace)': 'export namespace X {\n  export const y = 1;\n}',
    'typescript(no-non-null-asserted-optional-chain)': 'export const f = (x?: { y: string }) => x?.y!;',
    'typescript(no-require-imports)': "import fs = require('node:fs');\nexport const x = fs;",
    'typescript(no-this-alias)':
      'export class X {\n  y() {\n    const self = this;\n    return self;\n  }\n}',
    'typescript(no-unnecessary-type-constraint)': 'export type X<T extends unknown> = T[];',
    'typescript(no-unsafe-declaration-merging)': 'export interface X {\n  y: 1;\n}\nexport class X {}',
    'typescript(no-unsafe-function-type)': 'export type X = Function;',
    'typescript(no-wrapper-object-types)': 'export type X = String;',
    'typescript(prefer-as-const)': "export const x = 'a' as 'a';",
    'typescript(prefer-namespace-keyword)': 'export declare module X {}',
    'typescript(triple-slash-reference)': '/// <reference path="other" />\nexport const x = 1;',
    'eslint(eqeqeq)': 'export const f = (x: number) => x == 1;',
    'eslint(no-console)': 'console.log(1);',
    'eslint(no-unused-vars)': 'const x = 1;\nexport const f = (a: number) => 1;',
    'eslint(no-var)': 'export var x = 1;',
    'eslint(prefer-const)': 'let x = 1;\nexport const y = x;',
    'eslint(prefer-rest-params)': 'export function f() {\n  return arguments;\n}',
    'eslint(prefer-spread)': 'export const f = (x: number[]) => Math.max.apply(Math, x);',
    'eslint(no-array-constructor)': 'export const x = new Array(1, 2);',
    'eslint(no-unused-expressions)': 'export const f = (x: number) => {\n  x + 1;\n};',
  }),
  ...rows(TEST, { 'eslint(no-restricted-imports)': "import fc from 'fast-check';\nfc.configureGlobal({});" }),
  ...rows(JS, {
    'eslint(constructor-super)':
      'export class X extends Object {\n  constructor() {\n    this.x = 1;\n  }\n}',
    'eslint(for-direction)': 'for (let i = 0; i < 9; i--) fetch(i);',
    'eslint(getter-return)': 'export const x = {\n  get y() {\n    fetch(1);\n  },\n};',
    'eslint(no-async-promise-executor)': 'export const x = new Promise(async (f) => f(await 1));',
    'eslint(no-case-declarations)':
      'export function f(x) {\n  switch (x) {\n    case 1:\n      let y = 1;\n      return y;\n  }\n}',
    'eslint(no-class-assign)': 'class X {}\nX = 1;\nfetch(X);',
    'eslint(no-compare-neg-zero)': 'export const f = (x) => x === -0;',
    'eslint(no-cond-assign)': 'export function f(x) {\n  if ((x = 1)) fetch(x);\n  if (x = 2) fetch(x);\n}',
    'eslint(no-const-assign)': 'const x = 1;\nx = 2;\nfetch(x);',
    'eslint(no-constant-binary-expression)': 'export const f = (x) => (x + 1) ?? 2;',
    'eslint(no-constant-condition)': 'export const x = true ? 1 : 2;',
    'eslint(no-control-regex)': 'export const x = /\\x1f/;',
    'eslint(no-debugger)': 'debugger;',
    'eslint(no-dupe-class-members)': 'export class X {\n  y() {}\n  y() {}\n}',
    'eslint(no-dupe-else-if)': 'export function f(x) {\n  if (x) fetch(1);\n  else if (x) fetch(2);\n}',
    'eslint(no-dupe-keys)': 'export const x = { a: 1, a: 2 };',
    'eslint(no-duplicate-case)':
      'export function f(x) {\n  switch (x) {\n    case 1:\n      return 1;\n    case 1:\n      return 2;\n  }\n}',
    'eslint(no-empty)': 'export function f() {\n  try {\n    fetch(1);\n  } catch {}\n}',
    'eslint(no-empty-character-class)': 'export const x = /a[]/;',
    'eslint(no-empty-pattern)': 'export const f = ({}) => 1;',
    'eslint(no-empty-static-block)': 'export class X {\n  static {}\n}',
    'eslint(no-ex-assign)': 'try {\n  fetch(1);\n} catch (error) {\n  error = 1;\n  fetch(error);\n}',
    'eslint(no-extra-boolean-cast)': 'export const f = (x) => (!!x ? 1 : 2);',
    'eslint(no-fallthrough)':
      'export function f(x) {\n  switch (x) {\n    case 1:\n      fetch(1);\n    case 2:\n      fetch(2);\n  }\n}',
    'eslint(no-func-assign)': 'function x() {}\nx = 1;\nfetch(x);',
    'eslint(no-global-assign)': 'Object = 1;',
    'eslint(no-import-assign)': "import x from 'node:fs';\nx = 1;\nfetch(x);",
    'eslint(no-invalid-regexp)': "export const x = new RegExp('[');",
    'eslint(no-irregular-whitespace)': 'export const\u00a0x = 1;',
    'eslint(no-loss-of-precision)': 'export const x = 9007199254740993;',
    'eslint(no-misleading-character-class)': 'export const x = /[👍]/;',
    'eslint(no-new-native-nonconstructor)': "export const x = new Symbol('x');",
    'eslint(no-obj-calls)': 'export const x = Math();',
    'eslint(no-prototype-builtins)': "export const f = (x) => x.hasOwnProperty('y');",
    'eslint(no-redeclare)':
      'export const x = 1;\nvar fetch = 1;\nvar Object = fetch;\nvar y = Object;\nvar y = x;',
    'eslint(no-regex-spaces)': 'export const x = /a  b/;',
    'eslint(no-self-assign)': 'export function f(x) {\n  x = x;\n}',
    'eslint(no-setter-return)': 'export const x = {\n  set y(value) {\n    return value;\n  },\n};',
    'eslint(no-shadow-restricted-names)': 'export function f(undefined) {\n  return undefined;\n}',
    'eslint(no-sparse-arrays)': 'export const x = [1, , 2];',
    'eslint(no-this-before-super)':
      'export class X extends Object {\n  constructor() {\n    this.x = 1;\n    super();\n  }\n}',
    'eslint(no-unassigned-vars)': 'let x;\nfetch(x);',
    'eslint(no-undef)': 'fetch(notDefined);',
    'eslint(no-unexpected-multiline)': 'export const x = fetch\n(1);',
    'eslint(no-unreachable)': 'export function f() {\n  return 1;\n  fetch(1);\n}',
    'eslint(no-unsafe-finally)':
      'export function f() {\n  try {\n    return 1;\n  } finally {\n    return 2;\n  }\n}',
    'eslint(no-unsafe-negation)': 'export const f = (x) => !x in {};',
    'eslint(no-unsafe-optional-chaining)': 'export const f = (x) => (x?.y).z;',
    'eslint(no-unused-labels)': 'x: for (const y of [1]) fetch(y);',
    'eslint(no-unused-private-class-members)': 'export class X {\n  #y = 1;\n}',
    'eslint(no-useless-assignment)': 'export function f() {\n  let x = 1;\n  x = 2;\n  return x;\n}',
    'eslint(no-useless-backreference)': 'export const x = /\\1(a)/;',
    'eslint(no-useless-catch)': 'try {\n  fetch(1);\n} catch (error) {\n  throw error;\n}',
    'eslint(no-useless-escape)': "export const x = '\\d';",
    'eslint(preserve-caught-error)': "try {\n  fetch(1);\n} catch (error) {\n  throw new Error('x');\n}",
    'eslint(require-yield)': 'export function* f() {\n  return 1;\n}',
    'eslint(use-isnan)': 'export const f = (x) => x === NaN;',
    'eslint(valid-typeof)': "export const f = (x) => typeof x === 'strnig';",
  }),
];

/** Refused by the parser, because modules are strict: no rule is needed. */
export const REFUSED = [
  { file: JS, code: 'export const f = function (a, a) {};' },
  { file: JS, code: 'export const x = 071;' },
  { file: JS, code: "export const x = '\\8';" },
  { file: JS, code: 'export function f(x) {\n  with (x) fetch(1);\n}' },
  { file: JS, code: 'const x = 1;\ndelete x;' },
];

export const ESLINT = [
  ...rows(TEST, {
    'no-restricted-syntax': "import t from 'tap';\nt.match([1, 2], [1]);",
  }),
  ...rows('scripts/test/fixture.mjs', {
    'no-restricted-syntax': "import t from 'tap';\nt.match({ a: [1, 2] }, { a: [1] });",
  }),
  ...rows(TSX, {
    'react-hooks/rules-of-hooks':
      "import { useState } from 'react';\nexport function X({ a }: { a: boolean }) {\n  if (a) useState(1);\n  return null;\n}",
    'react-hooks/exhaustive-deps':
      "import { useEffect } from 'react';\nexport function X({ a }: { a: () => void }) {\n  useEffect(() => a(), []);\n  return null;\n}",
    'react-hooks/set-state-in-effect':
      "import { useEffect, useState } from 'react';\nexport function X() {\n  const [x, setX] = useState(0);\n  useEffect(() => {\n    setX(1);\n  }, []);\n  return x;\n}",
    'react-hooks/set-state-in-render':
      "import { useState } from 'react';\nexport function X() {\n  const [x, setX] = useState(0);\n  setX(1);\n  return x;\n}",
    'react-hooks/refs':
      "import { useRef } from 'react';\nexport function X() {\n  const x = useRef(0);\n  return x.current;\n}",
    'react-hooks/purity': 'export function X() {\n  const x = Math.random();\n  return <p>{x}</p>;\n}',
    'react-hooks/immutability':
      'export function X({ a }: { a: { b: number } }) {\n  a.b = 1;\n  return <p>{a.b}</p>;\n}',
    'react-hooks/globals': 'let x = 1;\nexport function X() {\n  x = 2;\n  return <p>{x}</p>;\n}',
    'react-hooks/static-components': 'export function X() {\n  const Y = () => <p />;\n  return <Y />;\n}',
    'react-hooks/use-memo':
      "import { useMemo } from 'react';\nexport function X() {\n  const x = useMemo((a: number) => a, []);\n  return <p>{x}</p>;\n}",
    'react-hooks/error-boundaries':
      'export function X() {\n  try {\n    return <p />;\n  } catch {\n    return null;\n  }\n}',
    'react-hooks/unsupported-syntax':
      "export function X() {\n  const x = eval('1');\n  return <p>{x}</p>;\n}",
  }),
];

/** Code that the rules allow here. */
export const ALLOWED = [
  { file: TEST, code: "import t from 'tap';\nt.test('x', async (t) => {\n  t.ok(1);\n});" },
  {
    file: TS,
    code: 'export function f({ a, ...rest }: { a: 1; b: 2 }, _c: number) {\n  const _d = 1;\n  return rest;\n}',
  },
  { file: 'services/test-kit/src/fixture.ts', code: 'export const f = (x: unknown) => x as string;' },
  { file: JS, code: 'console.log(1);' },
  {
    file: TS,
    code: '// oxlint-disable-next-line typescript/no-explicit-any -- a reason\nexport type X = any;',
  },
];

/** Comments that silence nothing. */
export const NEEDLESS_OXLINT = {
  file: TS,
  code: '// oxlint-disable-next-line no-console -- a reason\nexport const x = 1;',
};
export const NEEDLESS_ESLINT = {
  file: TSX,
  code: '// eslint-disable-next-line react-hooks/refs -- a reason\nexport const x = 1;',
};

/** Files that the formatter changes, and those that it leaves as they are. */
export const UNFORMATTED = [
  { file: 'scripts/fixture.mjs', code: 'export const x = "1"' },
  { file: 'eslint-fixture.js', code: 'export const x = "1"' },
  { file: 'services/query/src/fixture.ts', code: 'export const x = "1"' },
  { file: 'web/src/Fixture.tsx', code: 'export const X = () => <p  id="x">1</p>' },
  { file: 'web/src/fixture.css', code: 'p{color:red}' },
  { file: 'web/fixture.html', code: '<p   id=x>1</p>' },
  { file: 'deploy/fixture.yaml', code: 'a:   1' },
  { file: 'deploy/fixture.yml', code: 'a:   1' },
  { file: 'contracts/fixture.json', code: '{"a":1}' },
  { file: 'docs/fixture.md', code: 'a  b\n=', isLeft: true },
  { file: 'contracts/vectors/fixture.json', code: '{"a":1}', isLeft: true },
  { file: 'services/agent/test/recorded-state/fixture.json', code: '{"a":1}', isLeft: true },
];
