/** One frame of a server-sent event stream (HTML standard, section 9.2). */
export interface ServerSentFrame {
  event: string;
  data: string;
  /** Null when the frame has no id. */
  id: string | null;
}

/** Longest buffered text without an end of frame; longer text is no event stream. */
export const FRAME_CHARACTERS_MAX = 4 * 1_048_576;

/** Returns a parser: it takes text in pieces of any size and returns the completed frames. Throws RangeError when a
 * frame is longer than FRAME_CHARACTERS_MAX. */
export function createSseParser(): (chunk: string) => ServerSentFrame[] {
  let rest = '';
  return (chunk) => {
    rest += chunk;
    const frames: ServerSentFrame[] = [];
    // A CR at the end may be half of a CRLF: keep it for the next piece.
    const held = rest.endsWith('\r') ? '\r' : '';
    const blocks = rest
      .slice(0, rest.length - held.length)
      .replace(/\r\n?/g, '\n')
      .split('\n\n');
    rest = (blocks.pop() ?? '') + held;
    if (rest.length > FRAME_CHARACTERS_MAX) throw new RangeError('frame too long');
    for (const block of blocks) {
      const frame = parseBlock(block);
      if (frame !== null) frames.push(frame);
    }
    return frames;
  };
}

function parseBlock(block: string): ServerSentFrame | null {
  const data: string[] = [];
  let event = 'message';
  let id: string | null = null;
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0 || line === '') continue;
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  }
  return data.length === 0 ? null : { event, data: data.join('\n'), id };
}
