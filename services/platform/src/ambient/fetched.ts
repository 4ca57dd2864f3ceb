/** Helpers for responses that `fetch` reads from other servers. */

/** @returns the decoded body; undefined when the body has more than `bytes` bytes, and then the rest is not read */
export async function readLimited(
  { body }: Pick<Response, 'body'>,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the rest of the body, which closes the connection.
  for await (const part of body ?? []) {
    length += part.length;
    if (length > bytes) return undefined;
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts, length));
}

/** Returns why a call failed, in words for a person: Node's `fetch` hides the reason in the error's cause. */
export function fetchFailure(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
