// Generated tables of a page, which are between two marks.
import { readFileSync, writeFileSync } from 'node:fs';

/** Puts a generated table between `<!-- name -->` and `<!-- /name -->` of a page. @throws Error when a mark is missing */
export function betweenMarks(name, text, table) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no marks ${begin} and ${end}`);
  return `${text.slice(0, from)}${begin}\n${table}\n${text.slice(to)}`;
}

/** Writes a page with its generated tables; with --check it only compares, and the exit code gives the result. */
export async function keepPage(file, wantedOf) {
  const text = readFileSync(file, 'utf8');
  const wanted = await wantedOf(text);
  if (process.argv.includes('--check')) process.exitCode = wanted === text ? 0 : 1;
  else writeFileSync(file, wanted);
}
