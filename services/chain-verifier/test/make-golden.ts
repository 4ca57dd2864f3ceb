/** Writes the golden log of the current rules: `node dist/test/make-golden.js`. Never over an existing one. */
import { writeFileSync } from 'node:fs';
import { CURRENT_RULES } from '@sentinel-node/contracts';
import { Teller } from './dsl/story.ts';
import { WHOLE_STORY } from './dsl/whole-story.ts';

const text = new TextDecoder();
const teller = new Teller();
const lines = WHOLE_STORY.flatMap((step) => {
  const before = teller.log.length;
  const published = teller.tell(step);
  const made = teller.log[before];
  if (made === undefined) return [];
  return [{ key: made.key, body: text.decode(made.body), published: published ?? null }];
});
const target = new URL(`../../test/golden/rules-${CURRENT_RULES}.json`, import.meta.url);
writeFileSync(target, `${JSON.stringify(lines, null, 2)}\n`, { flag: 'wx' });
