/** @returns the body as text; undefined when it has more than `bytes` bytes, decoded: no more of it is read then */
export async function readLimited(answer: Response, bytes: number): Promise<string | undefined> {
  if (answer.body === null) return '';
  const parts: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the rest, which closes the connection.
  for await (const part of answer.body as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > bytes) return undefined;
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}
