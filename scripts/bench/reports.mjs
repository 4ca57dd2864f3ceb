/** Reports as an agent makes them: each appends to its file. */
import { randomBytes } from 'node:crypto';

const GROWTH_BYTES = 120;
const COUNTER_DIGITS = 16;
const MICROSECONDS_PER_MS = 1_000;

const prefix = randomBytes(24).toString('hex');
let count = 0;

/** Returns 64 new hex digits. A server cannot tell whether they are a digest. */
const nextHash = () => prefix + (++count).toString(16).padStart(COUNTER_DIGITS, '0');

export function newFile(id) {
  return { id, sequence: Date.now() * MICROSECONDS_PER_MS, length: 0, hash: '' };
}

/** Returns the next report of a file. With `line` it names the file, as a line of a bulk body does. */
export function nextReport(file, { line }) {
  const before = `{"length":${file.length},"hash":"${file.hash}"},`;
  const first = file.hash === '';
  file.sequence += 1;
  file.length += GROWTH_BYTES;
  file.hash = nextHash();
  const name = line ? `"fileId":"${file.id}",` : '';
  const now = `{"length":${file.length},"hash":"${file.hash}"}`;
  const change = first ? 'FIRST' : 'APPENDED';
  const versions = first ? now : before + now;
  return `{${name}"sequence":${file.sequence},"timestamp":"${timestamp()}","change":"${change}","versions":[${versions}],"reread":true,"configVersion":1}`;
}

let stamp = { at: 0, text: '' };

function timestamp() {
  const at = Date.now();
  if (stamp.at !== at) stamp = { at, text: new Date(at).toISOString() };
  return stamp.text;
}
