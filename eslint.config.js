import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import ts from 'typescript-eslint';

const PACKAGES = [
  'contracts',
  'web',
  ...readdirSync(join(import.meta.dirname, 'services')).map((name) => `services/${name}`),
];

/** Returns the TypeScript projects of a package; the first one of the console only refers to the others. */
const projectsOf = (name) =>
  [name === 'web' ? 'tsconfig.app.json' : 'tsconfig.json', 'tsconfig.test.json']
    .map((file) => join(name, file))
    .filter((file) => existsSync(join(import.meta.dirname, file)));

export default ts.config(
  { ignores: ['**/dist/**', '**/dist-*/**', '**/node_modules/**', '.tap/**', 'data/**', '.cache/**'] },
  js.configs.recommended,
  ...ts.configs.recommended,
  {
    languageOptions: { parserOptions: { projectService: false } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  // Each package names its own projects: a list of all would build every project before one that a file belongs to.
  ...PACKAGES.map((name) => ({
    files: [`${name}/{src,test}/**/*.{ts,tsx}`],
    languageOptions: {
      parserOptions: { project: projectsOf(name), tsconfigRootDir: import.meta.dirname },
    },
  })),
  {
    files: ['contracts/**/*.ts', 'services/*/{src,test}/**/*.ts', 'web/{src,test}/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      // Tap runs a subtest that is not awaited before its parent ends.
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafePromises: [
            { from: 'package', package: '@tapjs/core', name: 'PromiseWithSubtest' },
            { from: 'package', package: 'tap', name: 'PromiseWithSubtest' },
          ],
        },
      ],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    // An assertion that the types cannot confirm carries its reason. Rows of SQLite, the inside of kafkajs and the test
    // servers give values without types all over; there the assertions stay at the border and carry none.
    files: ['contracts/src/**/*.ts', 'services/*/src/**/*.ts', 'web/src/**/*.{ts,tsx}'],
    ignores: [
      'services/platform/src/embedded/**',
      'services/platform/src/kafka/**',
      'services/test-kit/**',
      'services/all-in-one/src/demo/**',
    ],
    rules: { '@typescript-eslint/no-unsafe-type-assertion': 'error' },
  },
  {
    files: ['{contracts,web}/test/**/*.{ts,tsx}', 'services/*/test/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'fast-check',
          message: 'its seed is random: import @sentinel-node/test-kit/properties, whose seed is ours.',
        },
      ],
    },
  },
  {
    files: ['{contracts,web}/test/**/*.{ts,tsx}', 'services/*/{src,test}/**/*.ts', 'scripts/test/**/*.mjs'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.property.name="match"][arguments.1.type="ArrayExpression"]',
          message:
            'match passes when the list has further elements: use matchList of the test kit, or strictSame.',
        },
        {
          selector:
            'CallExpression[callee.property.name="match"][arguments.1.type="ObjectExpression"] > ObjectExpression ArrayExpression',
          message:
            'match passes when a list inside has further elements: use matchWhole of the test kit, or strictSame.',
        },
      ],
    },
  },
  {
    files: ['scripts/**', '**/*.mjs', '**/*.config.*'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly',
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
      },
    },
    rules: { 'no-console': 'off' },
  },
  { files: ['web/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
);
