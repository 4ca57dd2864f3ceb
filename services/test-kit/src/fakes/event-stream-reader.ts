export interface ReceivedFrame {
  readonly event: string;
  readonly id: string | undefined;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever a frame holds
  readonly data: any;
}

/**
 * Collects the frames of GET /stream in order of arrival, without comments. Reads only the part of the format
 * (HTML standard, section 9.2) that this server writes.
 */
export class EventStreamReader {
  readonly frames: ReceivedFrame[] = [];
  /** Resolves when the server, or the test, ended the stream. */
  readonly ended: Promise<void>;
  #isEnded = false;

  constructor(body: AsyncIterable<Uint8Array>) {
    this.ended = this.#collect(body);
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async #collect(body: AsyncIterable<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of body) {
        const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
        rest = parts.pop()!;
        this.frames.push(...parts.filter((part) => !part.startsWith(':')).map(parse));
      }
    } catch {
      // The test closed the stream, or the server ended.
    }
    this.#isEnded = true;
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
