import { createRequire } from 'node:module';
import type { ISocketFactory } from 'kafkajs';

const requireInner = createRequire(import.meta.url);
const createSocketFactory = requireInner('kafkajs/src/network/socketFactory') as () => ISocketFactory;

/**
 * Creates kafkajs's own sockets, but with an `unref` that does nothing on a closed socket. kafkajs calls `unref` at
 * every attempt to disconnect; node:net then finds no handle and waits for a `connect` that never comes, and the
 * listeners grow until node warns.
 */
export function socketFactory(): ISocketFactory {
  const make = createSocketFactory();
  return (options) => {
    const socket = make(options);
    const unref = socket.unref.bind(socket);
    socket.unref = () => (socket.destroyed ? socket : unref());
    return socket;
  };
}
