import t from 'tap';
import { EventStreamReader } from '../src/fakes/index.ts';

const STREAM = [
  'event: ready\nid: e-0\ndata: {}\n\n',
  ': still here\n\n',
  'event: alert\ndata: {"name":"Zoë: a"}\n\n',
  'data: 1\n\n',
].join('');
const FRAMES = [
  { event: 'ready', id: 'e-0', data: {} },
  { event: 'alert', id: undefined, data: { name: 'Zoë: a' } },
  { event: 'message', id: undefined, data: 1 },
];

async function* pieces(text: string, bytesEach: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += bytesEach) yield bytes.subarray(at, at + bytesEach);
}

t.test('frames come out whole, however the bytes came', async (t) => {
  for (const bytesEach of [1, 2, 7, 1_000]) {
    const reader = new EventStreamReader(pieces(STREAM, bytesEach));
    t.notOk(reader.isEnded);
    await reader.ended;
    t.ok(reader.isEnded);
    t.strictSame(reader.frames, FRAMES, `${bytesEach} bytes at a time`);
  }
});

t.test('a frame that was cut off does not count, and the cut is the end', async (t) => {
  async function* cut(): AsyncGenerator<Uint8Array> {
    yield* pieces(STREAM.slice(0, -1), 100);
    throw new Error('connection reset');
  }
  const reader = new EventStreamReader(cut());
  await reader.ended;
  t.strictSame(reader.frames, FRAMES.slice(0, -1));
});
