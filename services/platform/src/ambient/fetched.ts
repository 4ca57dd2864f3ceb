/** What `fetch` brings from servers of others. */

/** @returns the body; undefined when it has more than `bytes` bytes, decoded: no more of it is read then */
export async function readLimited(
  { body }: Pick<Response, 'body'>,
  bytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the rest, which closes the connection.
  for await (const part of body ?? []) {
    length += part.length;
    if (length > bytes) return undefined;
    parts.push(part);
  }
  return new Uint8Array(Buffer.concat(parts, length));
}

/** Why a call failed, for a person: Node's `fetch` hides it in the cause. */
export function fetchFailure(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
