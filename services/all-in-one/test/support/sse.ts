/** GET /stream as the console reads it: by fetch, so that the token stands in a header. */
import type { Test } from 'tap';
import type { Member } from './client.ts';
import { until } from './until.ts';

export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads whatever a frame holds
  readonly data: any;
}

export class Stream {
  readonly frames: Frame[] = [];
  readonly ended: Promise<void>;
  #isEnded = false;

  constructor(body: ReadableStream<Uint8Array>) {
    this.ended = this.#collect(body);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The first frame that fits, waiting for it. */
  next(what: string, fits: (frame: Frame) => boolean): Promise<Frame> {
    return until(`on the stream: ${what}`, () => this.frames.find(fits));
  }

  async #collect(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    try {
      for await (const chunk of body.pipeThrough(new TextDecoderStream() as never) as AsyncIterable<string>) {
        const parts = (rest + chunk).split('\n\n');
        rest = parts.pop() ?? '';
        this.frames.push(...parts.filter((part) => !part.startsWith(':')).map(parse));
      }
    } catch {
      // The test closed it, or the server went away.
    }
    this.#isEnded = true;
  }
}

/** Opens the stream and waits for `ready`. */
export async function openStream(t: Test, member: Member): Promise<Stream> {
  const closing = new AbortController();
  t.teardown(() => closing.abort());
  const answer = await fetch(`${member.place.url}/api/v1/stream/${member.orgId}`, {
    signal: closing.signal,
    headers: { 'x-access-token': member.token },
  });
  if (answer.status !== 200 || answer.body === null) throw new Error(`the stream answers ${answer.status}`);
  const stream = new Stream(answer.body);
  await stream.next('ready', ({ event }) => event === 'ready');
  return stream;
}

function parse(text: string): Frame {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    event: fields.get('event') ?? 'message',
    id: fields.get('id'),
    data: JSON.parse(fields.get('data') ?? 'null') as unknown,
  };
}
