/** Tests the splitting of a streamed document into lines. */
import t from 'tap';
import { utf8 } from '../src/bytes/bytes.ts';
import { byteLines } from '../src/bytes/byte-lines.ts';

async function linesOf(parts: readonly string[], limit: number): Promise<string[]> {
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield utf8(part);
  }
  const lines: string[] = [];
  for await (const line of byteLines(pieces(), limit)) lines.push(new TextDecoder().decode(line));
  return lines;
}

t.test('lines come whole, however the pieces are cut', async (t) => {
  t.same(await linesOf(['ab\nc', 'd\n', '\ne'], 9), ['ab', 'cd', '', 'e']);
  t.same(await linesOf(['ab\n'], 9), ['ab']);
  t.same(await linesOf([], 9), []);
  t.same(await linesOf(['abcd\nef\n'], 3), ['abcd', 'ef'], 'cut to a byte more than the limit');
  t.same(await linesOf(['abcdefg\nx'], 3), ['abcd', 'x']);
  t.same(await linesOf(['abc', 'defg', 'hij\nx'], 3), ['abcd'], 'a line that is too long ends it');
});
