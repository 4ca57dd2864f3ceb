/** A client of GET /stream as the console has it: fetch, frames, `Last-Event-ID`. */
import type { Test } from 'tap';
import { eventually, type Person, type World } from './world.ts';

export interface ReceivedFrame {
  readonly event: string;
  readonly id: string | undefined;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads whatever a frame holds
  readonly data: any;
}

export interface SseClient {
  readonly status: number;
  readonly headers: Headers;
  readonly frames: ReceivedFrame[];
  isEnded(): boolean;
  /** The first frame that fits, waiting for it. */
  next(fits: (frame: ReceivedFrame) => boolean): Promise<ReceivedFrame>;
  close(): void;
}

/** Listens on a free port once a world. */
export async function listen({ app }: World): Promise<string> {
  const address = app.server.address();
  if (address !== null && typeof address === 'object') return `http://127.0.0.1:${address.port}`;
  return app.listen({ host: '127.0.0.1', port: 0 });
}

export async function openStream(
  t: Test,
  world: World,
  person: Person,
  orgId: string,
  lastEventId?: string,
): Promise<SseClient> {
  const closing = new AbortController();
  const answer = await fetch(`${await listen(world)}/api/v1/stream/${orgId}`, {
    signal: closing.signal,
    headers: {
      'x-access-token': person.token,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const frames: ReceivedFrame[] = [];
  let ended = false;
  void collect(answer, frames).finally(() => (ended = true));
  t.teardown(() => closing.abort());
  return {
    status: answer.status,
    headers: answer.headers,
    frames,
    isEnded: () => ended,
    next: (fits) => eventually(async () => frames.find(fits)),
    close: () => closing.abort(),
  };
}

async function collect(answer: Response, frames: ReceivedFrame[]): Promise<void> {
  let rest = '';
  try {
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + chunk).split('\n\n');
      rest = parts.pop()!;
      frames.push(...parts.filter((part) => !part.startsWith(':')).map(parse));
    }
  } catch {
    // The test closed it, or the server cut it off.
  }
}

function parse(text: string): ReceivedFrame {
  const fields = new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    event: fields.get('event') ?? 'message',
    id: fields.get('id'),
    data: JSON.parse(fields.get('data') ?? 'null') as unknown,
  };
}
