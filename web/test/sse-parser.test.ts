import t from 'tap';
import { createSseParser, FRAME_CHARACTERS_MAX } from '../src/api/sse-parser.ts';

const text =
  ': hello\n\nevent: alert\r\nid: e-7\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:x\n\nevent: nothing\n\n';

t.test('frames are the same however the text is cut', async (test) => {
  const wanted = [
    { event: 'alert', data: '{"a":\n1}', id: 'e-7' },
    { event: 'message', data: 'x', id: null },
  ];
  for (let size = 1; size <= text.length; size += 1) {
    const parse = createSseParser();
    const frames = [];
    for (let at = 0; at < text.length; at += size) frames.push(...parse(text.slice(at, at + size)));
    test.same(frames, wanted, `pieces of ${size}`);
  }
});

t.test('a frame without an end is refused', async (test) => {
  const parse = createSseParser();
  test.throws(() => parse('data: '.padEnd(FRAME_CHARACTERS_MAX + 1, 'x')), RangeError);
});
