/** A server with MongoDB's wire protocol that gives the answers of a test; it stores no data. */
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { BSON } from 'mongodb';
import type { Document } from 'mongodb';
import type { Test } from 'tap';

/** Opcodes and layouts: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
/** Wire version of MongoDB 7.0. */
const WIRE_VERSION = 21;

export type Answer = Document | undefined | Promise<Document | undefined>;
/** Returns undefined to answer `{ok: 1}`. */
export type Answers = (command: Document) => Answer;

export interface WireServer {
  readonly url: string;
  /** Received commands, without handshakes. */
  readonly commands: readonly Document[];
}

const HANDSHAKES = ['hello', 'isMaster', 'ismaster', 'ping', 'endSessions'];

/** @param hello the server's description of itself: `{setName}` for a replica set, `{msg: 'isdbgrid'}` for a router */
export async function startWireServer(t: Test, hello: Document, answers: Answers): Promise<WireServer> {
  const commands: Document[] = [];
  const sockets = new Set<Socket>();
  const me = (): string => `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = async (command: Document): Promise<Document> => {
    const name = Object.keys(command)[0] ?? '';
    if (HANDSHAKES.includes(name)) return { ok: 1, ...helloOf(hello, me()) };
    commands.push(command);
    return (await answers(command)) ?? { ok: 1 };
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let read = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      read = Buffer.concat([read, chunk]);
      while (read.length >= HEADER_BYTES && read.length >= read.readInt32LE(0)) {
        const message = read.subarray(0, read.readInt32LE(0));
        read = read.subarray(message.length);
        void answer(commandOf(message)).then((reply) => socket.write(replyTo(message, reply)));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `mongodb://${me()}/?directConnection=true`, commands };
}

function helloOf(hello: Document, me: string): Document {
  const isMember = hello['setName'] !== undefined;
  return {
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: WIRE_VERSION,
    ...(isMember ? { me, primary: me, hosts: [me], setVersion: 1 } : {}),
    ...hello,
  };
}

/** Returns the command; documents of a section of kind 1 go into it, as in the server. */
function commandOf(message: Buffer): Document {
  if (message.readInt32LE(12) === OP_QUERY) {
    const name = message.indexOf(0, HEADER_BYTES + 4);
    return BSON.deserialize(message.subarray(name + 1 + 8));
  }
  let at = HEADER_BYTES + 4;
  const command: Document = {};
  while (at < message.length) {
    const kind = message[at++];
    const size = message.readInt32LE(at);
    const section = message.subarray(at, at + size);
    at += size;
    if (kind === 0) Object.assign(command, BSON.deserialize(section));
    else Object.assign(command, documentsOf(section));
  }
  return command;
}

function documentsOf(section: Buffer): Document {
  const end = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = end + 1; at < section.length; at += section.readInt32LE(at))
    documents.push(BSON.deserialize(section.subarray(at, at + section.readInt32LE(at))));
  return { [section.toString('utf8', 4, end)]: documents };
}

function replyTo(message: Buffer, reply: Document): Buffer {
  const isQuery = message.readInt32LE(12) === OP_QUERY;
  const body = BSON.serialize(reply);
  // OP_REPLY: flags, cursor id, starting from, number returned. OP_MSG: flags and the kind of the section.
  const before = Buffer.alloc(isQuery ? 20 : 5);
  if (isQuery) before.writeInt32LE(1, HEADER_BYTES);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + before.length + body.length, 0);
  header.writeInt32LE(message.readInt32LE(4), 8);
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, before, body]);
}
