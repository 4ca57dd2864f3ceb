/** A witness on a real port that follows the protocol, or gives the answers of a test. */
import type { Clock } from '@sentinel-node/platform';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  cosign,
  formatVerifierKey,
  parseAddCheckpoint,
  parseCheckpoint,
  parsePolicy,
  verifyConsistency,
  type AddCheckpoint,
  type Cosigner,
  type SignedCheckpoint,
  type WitnessPolicy,
} from '@sentinel-node/contracts';
import type { Test } from 'tap';

type Answering = (
  offer: AddCheckpoint & { readonly signed: SignedCheckpoint },
  answer: ServerResponse,
) => void;

/** Clock of the fake witnesses; a stage puts its own here. */
export const witnessTime: { clock: Pick<Clock, 'now'> } = { clock: { now: () => Date.now() } };

export async function fakeWitness(t: Test, name = 'witness.example/w1') {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const cosigner: Cosigner = { name, type: 4, publicKey: new Uint8Array(Buffer.from(x, 'base64url')) };
  let seen: SignedCheckpoint | undefined;
  const offers: AddCheckpoint[] = [];
  const now = (): number => Math.floor(witnessTime.clock.now() / 1_000) + offers.length;
  const lineFor = (of: string, time = now()): string =>
    cosign(of, cosigner, time, (message) => new Uint8Array(sign(null, message, privateKey))).line;
  const honest: Answering = ({ oldSize, path, signed }, answer) => {
    const size = seen?.size ?? 0;
    if (oldSize !== size)
      return void answer.writeHead(409, { 'content-type': 'text/x.tlog.size' }).end(`${size}\n`);
    const goesOn =
      oldSize === 0
        ? path.length === 0
        : verifyConsistency(oldSize, seen!.root, signed.size, signed.root, path);
    if (!goesOn) return void answer.writeHead(422).end();
    seen = signed;
    answer.end(lineFor(signed.text));
  };
  let answering = honest;
  const server = createServer((request, answer) => {
    void text(request).then((body) => {
      const offer = request.url === '/w/add-checkpoint' ? parseAddCheckpoint(body) : undefined;
      const signed = offer && parseCheckpoint(offer.checkpoint);
      if (offer === undefined || signed === undefined) return answer.writeHead(400).end();
      offers.push(offer);
      return answering({ ...offer, signed }, answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/w/`;
  return {
    ...{ cosigner, lineFor, offers, url, name },
    line: `witness ${name} ${formatVerifierKey(cosigner)} ${url}\n`,
    /** undefined to follow the protocol. */
    answer: (by: Answering = honest) => void (answering = by),
    forget: () => void (seen = undefined),
    size: () => seen?.size ?? 0,
  };
}

export function policyOf(...lines: readonly string[]): WitnessPolicy {
  const read = parsePolicy(lines.join(''));
  if ('problem' in read) throw new Error(`${read.line}: ${read.problem}`);
  return read.policy;
}
