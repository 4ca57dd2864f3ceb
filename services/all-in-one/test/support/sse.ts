/** Reads GET /stream as the console does: by fetch, so that the token is in a header. */
import { EventStreamReader, type ReceivedFrame } from '@sentinel-node/test-kit/fakes';
import type { Test } from 'tap';
import type { Member } from './client.ts';
import { until } from './until.ts';

export class Stream extends EventStreamReader {
  /** Waits for a frame that fits. @returns the first such frame */
  next(what: string, fits: (frame: ReceivedFrame) => boolean): Promise<ReceivedFrame> {
    return until(`on the stream: ${what}`, () => this.frames.find(fits));
  }
}

/** Opens the stream and waits for `ready`. */
export async function openStream(t: Test, member: Member): Promise<Stream> {
  const closing = new AbortController();
  t.teardown(() => closing.abort());
  const answer = await fetch(`${member.server.url}/api/v1/stream/${member.orgId}`, {
    signal: closing.signal,
    headers: { 'x-access-token': member.token },
  });
  if (answer.status !== 200 || answer.body === null) throw new Error(`the stream answers ${answer.status}`);
  const stream = new Stream(answer.body);
  await stream.next('ready', ({ event }) => event === 'ready');
  return stream;
}
