/** Requests of the senders, as bytes. */
import { newFile, nextReport } from './reports.mjs';

/** Requests that one connection sends repeatedly. */
const READY_SINGLE = 400;
const READY_BULK = 8;

/** Returns a function per connection that returns its next request, from prepared requests in a circle. */
export function readyRequests(url, { targets, connections, lines, headers = '' }) {
  const slices = slicesOf(targets, lines);
  const perConnection = lines === 1 ? READY_SINGLE : READY_BULK;
  let at = 0;
  return Array.from({ length: connections }, () => {
    const ready = Array.from({ length: perConnection }, () =>
      requestOf(url, slices[at++ % slices.length], lines, headers),
    );
    let index = 0;
    return () => ready[index++ % ready.length];
  });
}

/** Same, with reports that continue the one before. Each file belongs to one connection, so that its reports keep order. */
export function liveBodies(url, { targets, connections, lines, rounds = Infinity }) {
  const slices = shuffled(slicesOf(targets, lines));
  return Array.from({ length: connections }, (_, connection) => {
    const own = slices.filter((_slice, index) => index % connections === connection);
    let sent = 0;
    const most = rounds * own.length;
    return () => (sent < most ? requestOf(url, own[sent++ % own.length], lines) : undefined);
  });
}

/** Returns groups of files of one device, one group for each request. */
function slicesOf(targets, lines) {
  const slices = [];
  for (const { fileIds, ...target } of targets) {
    const files = shuffled(fileIds).map(newFile);
    for (let at = 0; at < files.length; at += lines)
      slices.push({ target, files: files.slice(at, at + lines) });
  }
  return slices;
}

/** @param headers additional headers, each with its CR LF */
function requestOf(url, { target, files }, lines, headers = '') {
  const { orgId, deviceId, apiKey } = target;
  const single = lines === 1;
  const path = single ? `${orgId}/${deviceId}/${files[0].id}` : `bulk/${orgId}/${deviceId}`;
  const type = single ? 'application/json' : 'application/x-ndjson';
  const body = files.map((file) => nextReport(file, { line: !single })).join('\n');
  const head = `POST /api/v1/files/${path} HTTP/1.1\r\nhost: ${new URL(url).host}\r\nx-api-key: ${apiKey}\r\n${headers}content-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return { request: Buffer.from(head + body, 'latin1'), reports: files.length };
}

function shuffled(items) {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [all[at], all[other]] = [all[other], all[at]];
  }
  return all;
}

/** Returns one request with the next report of each file, all of one device. */
export const fileRequest = (url, target, files, lines) => requestOf(url, { target, files }, lines).request;
