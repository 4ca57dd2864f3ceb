/** Writes `contracts/vectors`. Run after `npm run build` when a case is added: node contracts/dist/test/make-vectors.js */
import { writeFileSync } from 'node:fs';
import { buildVectors } from './vectors.ts';

for (const [name, content] of Object.entries(await buildVectors())) {
  writeFileSync(new URL(`../../vectors/${name}`, import.meta.url), `${JSON.stringify(content, null, 1)}\n`);
}
