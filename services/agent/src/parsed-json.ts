/** Returns the value of a text of JSON; undefined of any other text, as a proxy's HTML page or a row that was damaged. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
