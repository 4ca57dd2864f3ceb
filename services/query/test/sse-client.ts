/** A client of GET /stream like the console's: fetch, frames, `Last-Event-ID`. */
import { EventStreamReader, type ReceivedFrame } from '@sentinel-node/test-kit/fakes';
import type { Test } from 'tap';
import { eventually, type Person, type World } from './world.ts';

export interface SseClient {
  readonly status: number;
  readonly headers: Headers;
  readonly frames: ReceivedFrame[];
  isEnded(): boolean;
  /** Waits for the first matching frame and returns it. */
  next(fits: (frame: ReceivedFrame) => boolean): Promise<ReceivedFrame>;
  close(): void;
}

/** Listens on a free port, once for each world. */
export async function listen({ app }: World): Promise<string> {
  const address = app.server.address();
  if (address !== null && typeof address === 'object') return `http://127.0.0.1:${address.port}`;
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Connects when the streams know all that was done before, so that frames after the greeting are of what is done later. */
export async function openStream(
  t: Test,
  world: World,
  person: Person,
  orgId: string,
  lastEventId?: string,
): Promise<SseClient> {
  await world.heard();
  const closing = new AbortController();
  const answer = await fetch(`${await listen(world)}/api/v1/stream/${orgId}`, {
    signal: closing.signal,
    headers: {
      'x-access-token': person.token,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    },
  });
  const reader = new EventStreamReader(answer.body!);
  const { frames } = reader;
  t.teardown(() => closing.abort());
  return {
    status: answer.status,
    headers: answer.headers,
    frames,
    isEnded: () => reader.isEnded,
    next: (fits) => eventually(async () => frames.find(fits)),
    close: () => closing.abort(),
  };
}
