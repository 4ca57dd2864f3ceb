/** Places of a JSON document, for tests that change each of them. */

/** Returns the JSON pointer of the value that contains byte `at` of the compact text. */
export function pointerAt(text: string, at: number): string {
  const places: [start: number, end: number, pointer: string][] = [];
  let cursor = 0;
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value === 'object' && value !== null) {
      cursor += 1;
      const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
      for (const [key, inner] of entries) {
        if (!Array.isArray(value)) cursor += Buffer.byteLength(JSON.stringify(key)) + 1;
        walk(inner, `${pointer}/${String(key)}`);
        cursor += 1;
      }
      if (entries.length === 0) cursor += 1;
      return;
    }
    const length = Buffer.byteLength(JSON.stringify(value));
    places.push([cursor, cursor + length, pointer]);
    cursor += length;
  };
  walk(JSON.parse(text), '');
  return places.find(([start, end]) => start <= at && at < end)?.[2] ?? '';
}

export type Node = Record<string, unknown> | unknown[];

/** Returns every place of a document, with the holder and key for changing the value. */
export function places(root: Node): { pointer: string; value: unknown; holder: Node; key: string }[] {
  const found: ReturnType<typeof places> = [];
  const walk = (holder: Node, path: string): void => {
    for (const [key, value] of Object.entries(holder)) {
      const pointer = `${path}/${key}`;
      found.push({ pointer, value, holder, key });
      if (typeof value === 'object' && value !== null) walk(value as Node, pointer);
    }
  };
  walk(root, '');
  return found;
}
