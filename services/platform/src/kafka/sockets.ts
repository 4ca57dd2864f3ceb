import { createRequire } from 'node:module';
import type { ISocketFactory } from 'kafkajs';

const requireInner = createRequire(import.meta.url);
const createSocketFactory = requireInner('kafkajs/src/network/socketFactory') as () => ISocketFactory;

/**
 * Makes kafkajs's own sockets, but with an `unref` that does nothing on a closed socket. kafkajs calls `unref` at
 * every attempt to disconnect; node:net finds no handle then and waits for `connect`, which never comes: listeners
 * grow until node warns of them.
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
