/** Most lines of a failure's diagnosis, most lines of all, and most characters of a line, which can hold a whole body. */
const LINES_EACH = 40;
const LINES = 600;
const CHARACTERS = 500;

/** Returns every `not ok` of a TAP text with its diagnosis, both within limits. */
export function failuresOf(tapText) {
  const lines = tapText.split('\n');
  const out = [];
  for (let i = 0; i < lines.length && out.length < LINES; i += 1) {
    if (!/^\s*not ok/.test(lines[i])) continue;
    out.push(lines[i]);
    for (
      let j = i + 1;
      j < lines.length && j < i + LINES_EACH && !/^\s*(not ok|ok|# Subtest|1\.\.)/.test(lines[j]);
      j += 1
    )
      out.push(lines[j]);
  }
  return out.slice(0, LINES).map(cut).join('\n');
}

function cut(line) {
  const more = line.length - CHARACTERS;
  return more > 0 ? `${line.slice(0, CHARACTERS)} … and ${more} characters more` : line;
}
