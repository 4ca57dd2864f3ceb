/** Proxy to a broker that parses the requests of Kafka's protocol. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Test } from 'tap';
import { storageError } from './kafka-produce.ts';

/** Numbers of requests (https://kafka.apache.org/protocol, "API keys"). */
const PRODUCE = 0;
const FETCH = 1;

export class KafkaWire {
  readonly #target: number;
  readonly #server = createServer((socket) => this.#accept(socket));
  readonly #sockets = new Set<Socket>();
  /** Broker's ends of connections with Fetch requests. */
  readonly #fetched = new Set<Socket>();
  #isDeaf = false;
  /** When true, records are refused as by a broker with a full disk. */
  isFull = false;

  private constructor(target: number) {
    this.#target = target;
  }

  /** Opens the proxy. @param target port of the broker on 127.0.0.1 */
  static async open(t: Test, target: number): Promise<KafkaWire> {
    const wire = new KafkaWire(target);
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => wire.#close());
    return wire;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Holds back the answers on connections with Fetch requests while true. */
  set isDeaf(isDeaf: boolean) {
    this.#isDeaf = isDeaf;
    for (const socket of this.#fetched) if (isDeaf) socket.pause();
    if (!isDeaf) for (const socket of this.#fetched) socket.resume();
  }

  #accept(client: Socket): void {
    const broker = connect(this.#target, '127.0.0.1');
    const ends = [client, broker] as const;
    for (const [end, other] of [ends, [broker, client] as const]) {
      this.#sockets.add(end);
      end.on('error', () => other.destroy());
      end.on('close', () => {
        this.#sockets.delete(end);
        this.#fetched.delete(end);
        other.destroy();
      });
    }
    broker.on('data', (data) => client.write(data));
    let rest: Buffer = Buffer.alloc(0);
    client.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const end = 4 + rest.readInt32BE(0);
        this.#pass(rest.subarray(0, end), client, broker);
        rest = rest.subarray(end);
      }
    });
  }

  #pass(frame: Buffer, client: Socket, broker: Socket): void {
    const key = frame.readInt16BE(4);
    if (key === PRODUCE && this.isFull) return void client.write(storageError(frame));
    if (key === FETCH) {
      this.#fetched.add(broker);
      if (this.#isDeaf) broker.pause();
    }
    broker.write(frame);
  }

  async #close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
