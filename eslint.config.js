// What oxlint lacks: selectors and the rules of React's compiler. Every other rule stands in .oxlintrc.json.
import parser from '@typescript-eslint/parser';
import reactHooks from 'eslint-plugin-react-hooks';

export default [
  { ignores: ['**/dist/**', '**/dist-*/**', '**/node_modules/**', '.tap/**', 'data/**', '.cache/**'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  { files: ['**/*.{ts,tsx,mts}'], languageOptions: { parser } },
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
  { files: ['web/**/*.{ts,tsx}'], ...reactHooks.configs.flat.recommended },
];
