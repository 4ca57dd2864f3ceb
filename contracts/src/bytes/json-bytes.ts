const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON from UTF-8 bytes. @throws TypeError for bytes that are not UTF-8; SyntaxError for text that is not JSON */
export const parseJsonBytes = (bytes: Uint8Array): unknown => JSON.parse(decoder.decode(bytes));
