// Finds misspelt fields in manifests: the published schemas accept unknown fields, the types made from them do not.
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './deploy-support.mjs';

const OPTIONS = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  types: [],
};

/** TypeScript's errors for the bodies as literals of the types in `kubernetes-models`. */
export function unknownFields(bodies) {
  const file = join(root, 'scripts/test/manifests.ts');
  const text = bodies
    .map(({ apiVersion, kind }, n) => {
      const type = `import('kubernetes-models/${apiVersion}').I${kind}`;
      return `export const m${n}: ${type} = ${JSON.stringify(bodies[n])};`;
    })
    .join('\n');
  const host = ts.createCompilerHost(OPTIONS);
  const { getSourceFile, fileExists } = host;
  // The file is in memory only.
  host.fileExists = (name) => name === file || fileExists.call(host, name);
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, text, OPTIONS.target) : getSourceFile.call(host, name, ...rest);
  const program = ts.createProgram([file], OPTIONS, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
