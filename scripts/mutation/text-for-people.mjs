// Leaves text for people unmutated: a test of a wording would only repeat the wording. Codes, names and all values
// that are hashed or sent are still mutated.
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

const TEXT_PROPERTIES = new Set(['description', 'detail', 'message']);
const REASON = 'text for people';

const isText = ({ node }) => node.type === 'StringLiteral' || node.type === 'TemplateLiteral';

const isOfProperty = ({ parent }) =>
  parent.type === 'ObjectProperty' &&
  parent.key.type === 'Identifier' &&
  TEXT_PROPERTIES.has(parent.key.name);

const isOfError = ({ parent }) =>
  parent.type === 'NewExpression' &&
  parent.callee.type === 'Identifier' &&
  parent.callee.name.endsWith('Error');

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'text-for-people', {
    shouldIgnore: (path) => (isText(path) && (isOfProperty(path) || isOfError(path)) ? REASON : undefined),
  }),
];
