const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A record of the log as whoever wrote it meant it; undefined: somebody has made it unreadable since. */
export function readBody<T>(body: Uint8Array): T | undefined {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}
