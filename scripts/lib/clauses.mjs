// Clauses of the specification that tests name.
import ts from 'typescript';

const NAME = /\[(S\d+\.\d+)\]/g;
/** Functions whose first argument is the title of a test. */
const TESTS = /(^|\.)(\w*[tT]est|part)$/;

/** A test that is skipped, always or under a condition, shows nothing for sure: it has another `skip` than `false`. */
const isSkipped = ([, options]) =>
  options !== undefined &&
  ts.isObjectLiteralExpression(options) &&
  options.properties.some((one) => one.name?.getText() === 'skip' && one.initializer?.getText() !== 'false');

const isTitle = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** Returns the clauses in titles of tests that run; a comment or another text names none. */
export function clausesInTitles(text) {
  const found = new Set();
  const visit = (node) => {
    if (ts.isCallExpression(node) && TESTS.test(node.expression.getText())) {
      const [title] = node.arguments;
      if (title !== undefined && isTitle(title) && !isSkipped(node.arguments))
        for (const [, id] of title.getText().matchAll(NAME)) found.add(id);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest, true));
  return found;
}
