// Finds declarations that keep or limit something for longer than one call: kept collections, gates, and pools themselves.
import ts from 'typescript';

const COLLECTION = /^(Map|Set|LRUCache)$/;
const LIMITED = /^'(OVERLOADED|RATE_LIMITED)'$/;
const POOL_TAG = 'pool';
const BOUNDED_TAG = 'boundedBy';
const KIND_TAG = 'poolKind';

const parse = (file, text) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);

/** Returns the classes of which every instance is a pool: those tagged `@poolKind`, and LRUCache. */
export function poolKinds(sources) {
  const kinds = new Set(['LRUCache']);
  for (const [file, text] of sources) {
    if (!text.includes(`@${KIND_TAG}`)) continue;
    visit(parse(file, text), (node) => {
      if (ts.isClassDeclaration(node) && tagsOf(node).some(({ tag }) => tag === KIND_TAG))
        kinds.add(node.name.text);
    });
  }
  return kinds;
}

/**
 * Returns the sites of one file, each with its nearest tag: `@pool name` (several with commas), or `@boundedBy reason`
 * for a site that cannot grow with the number of callers. A tag of a class or function counts for every site in it.
 */
export function poolSites(file, text, kinds) {
  const source = parse(file, text);
  const sites = [];
  visit(source, (node) => {
    const what = siteOf(node, kinds);
    if (what === undefined) return;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    sites.push({ at: `${file}:${line}`, what, ...nearestTag(node) });
  });
  return sites;
}

function siteOf(node, kinds) {
  if (ts.isPropertyDeclaration(node) && isEmptyCollection(node.initializer))
    return `kept: ${node.name.getText()}`;
  if (ts.isVariableDeclaration(node) && isEmptyCollection(node.initializer) && isKept(node))
    return `kept: ${node.name.getText()}`;
  if (!ts.isNewExpression(node)) return undefined;
  const made = node.expression.getText();
  if (kinds.has(made)) return `pool: new ${made}`;
  if (made === 'OverloadedError') return 'gate: OverloadedError';
  if (made === 'ApiError' && LIMITED.test(node.arguments?.[0]?.getText() ?? ''))
    return `gate: ${node.arguments[0].getText()}`;
  return undefined;
}

function isEmptyCollection(node) {
  if (node === undefined) return false;
  if (ts.isArrayLiteralExpression(node)) return node.elements.length === 0;
  return (
    ts.isNewExpression(node) &&
    COLLECTION.test(node.expression.getText()) &&
    (node.arguments?.length ?? 0) === 0
  );
}

/** Returns true for a variable of a module, or of a function whose inner functions use it after the function returned. */
function isKept(declaration) {
  let owner = declaration.parent;
  while (owner !== undefined && !ts.isFunctionLike(owner)) owner = owner.parent;
  if (owner === undefined) return true;
  if (!/^(create|open|watch|kept|make|start)|(Of|In|er)$/.test(owner.name?.getText() ?? '')) return false;
  const name = declaration.name.getText();
  let found = false;
  const look = (node, isInner) => {
    if (isInner && ts.isIdentifier(node) && node.text === name) found = true;
    ts.forEachChild(node, (child) => look(child, isInner || (node !== owner && ts.isFunctionLike(node))));
  };
  look(owner, false);
  return found;
}

function nearestTag(node) {
  for (let at = node; at !== undefined; at = at.parent) {
    const [found] = tagsOf(at).filter(({ tag }) => tag !== undefined);
    if (found === undefined) continue;
    if (found.tag === POOL_TAG) return { pools: found.text.split(/\s*,\s*/) };
    return { reason: found.tag === KIND_TAG ? 'its instances are pools' : found.text };
  }
  return {};
}

function tagsOf(node) {
  return ts.getJSDocTags(node).flatMap((tag) => {
    const name = tag.tagName.text;
    const text = (ts.getTextOfJSDocComment(tag.comment) ?? '').replace(/\s+/g, ' ').trim();
    return [POOL_TAG, BOUNDED_TAG, KIND_TAG].includes(name) ? [{ tag: name, text }] : [];
  });
}

function visit(node, look) {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}
