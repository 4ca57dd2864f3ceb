/** How the names of receivers are resolved: by the file of hosts and name servers, over sockets of its own. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { addressesIn, namesToAsk, ownResolve } from '../src/egress/own-resolve.ts';

const HOSTS = `
127.0.0.1\tlocalhost
# 10.0.0.1 hooks.example
10.0.0.2 Hooks.Example hooks  # of the operator
fd12::1 hooks
nonsense hooks
`;
const V4 = 1;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
/** Given in place of an address: the name server cannot tell. */
const UNTOLD = 'untold';

interface NameServer {
  readonly server: string;
  /** Names that were asked for, in their order and once for each family. */
  readonly asked: string[];
  /** Answers what was not answered: there is no such name. */
  release(): void;
}

/** A name server that answers with the address of a name, that there is no such name, or not at all. */
async function nameServer(t: Test, addresses: Readonly<Record<string, string | null>>): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  const held: (() => void)[] = [];
  socket.on('message', (query, { port, address: from }) => {
    const { name, end } = nameIn(query);
    asked.push(name);
    const known = addresses[name];
    const isKnown = typeof known === 'string' && known !== UNTOLD;
    const answers = isKnown && query.readUInt16BE(end) === V4 ? [known] : [];
    const head = Buffer.from(query.subarray(0, 12));
    const failure = known === UNTOLD ? SERVER_FAILURE : NAME_ERROR;
    head.writeUInt16BE(0x8180 | (isKnown ? 0 : failure), 2);
    head.writeUInt16BE(answers.length, 6);
    // Nothing of what the question had behind it (EDNS).
    head.writeUInt16BE(0, 10);
    const records = answers.map((one) =>
      Buffer.from([0xc0, 12, 0, V4, 0, 1, 0, 0, 0, 0, 0, 4, ...one.split('.').map(Number)]),
    );
    const answer = Buffer.concat([head, query.subarray(12, end + 4), ...records]);
    if (known === null) held.push(() => socket.send(answer, port, from));
    else socket.send(answer, port, from);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    release: () => held.forEach((send) => send()),
  };
}

/** @returns the name of the question, and where its type begins */
function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

const text = (of: string) => (): Promise<string> => Promise.resolve(of);

t.test('the file of hosts comes first', async (t) => {
  const { server, asked } = await nameServer(t, { 'hooks.example': '192.0.2.1' });
  const resolve = ownResolve({ hosts: text(HOSTS), resolvConf: text(''), servers: [server] });
  t.strictSame(await resolve('hooks.EXAMPLE.'), [{ address: '10.0.0.2', family: 4 }]);
  t.strictSame(await resolve('hooks'), [
    { address: '10.0.0.2', family: 4 },
    { address: 'fd12::1', family: 6 },
  ]);
  t.strictSame(asked, []);
  t.strictSame(addressesIn(HOSTS, '127.0.0.1'), [], 'an address is no name');
  t.strictSame(addressesIn('', 'a.localhost'), [{ address: '127.0.0.1', family: 4 }]);
});

t.test('names are asked for with the search list, as the C library does', async (t) => {
  const conf = 'domain old.example\nsearch a.example b.example. # ours\noptions timeout:1 ndots:2\n';
  t.strictSame(namesToAsk('hooks', ''), ['hooks']);
  t.strictSame(namesToAsk('hooks', conf), ['hooks.a.example', 'hooks.b.example', 'hooks']);
  t.strictSame(namesToAsk('x.hooks', conf), ['x.hooks.a.example', 'x.hooks.b.example', 'x.hooks']);
  t.strictSame(namesToAsk('x.y.hooks', conf), ['x.y.hooks', 'x.y.hooks.a.example', 'x.y.hooks.b.example']);
  t.strictSame(namesToAsk('x.hooks', 'search a'), ['x.hooks', 'x.hooks.a'], 'one dot without the option');
  t.strictSame(namesToAsk('hooks.', conf), ['hooks.']);

  const { server, asked } = await nameServer(t, { 'hooks.b.example': '192.0.2.1' });
  const resolve = ownResolve({ hosts: text(''), resolvConf: text(conf), servers: [server] });
  t.strictSame(await resolve('hooks'), [{ address: '192.0.2.1', family: 4 }]);
  t.strictSame([...new Set(asked)], ['hooks.a.example', 'hooks.b.example']);
  await t.rejects(resolve('none'), { code: 'ENOTFOUND' });
});

t.test('a search domain that cannot be told about does not hide the name, and is in no text', async (t) => {
  const names = { 'hooks.example.a.example': UNTOLD, 'hooks.example': '192.0.2.1', 'none.a.example': UNTOLD };
  const { server } = await nameServer(t, names);
  const conf = text(`search a.example ${'x '.repeat(7)}b.example\noptions ndots:5`);
  const resolve = ownResolve({ hosts: text(''), resolvConf: conf, servers: [server] });
  t.strictSame(await resolve('hooks.example'), [{ address: '192.0.2.1', family: 4 }]);
  t.equal(namesToAsk('hooks', await conf()).at(-2), 'hooks.b.example', 'however many there are');
  await t.rejects(resolve('none'), {
    code: 'ESERVFAIL',
    message: 'the name none could not be resolved (ESERVFAIL)',
  });
  await t.rejects(resolve('gone'), { code: 'ENOTFOUND', message: /^the name gone could/ });
});

t.test('names that nobody answers for hold up no other name, and no thread', async (t) => {
  const silent = Array.from({ length: 64 }, (_, n) => `silent${n}.example`);
  const { server, release } = await nameServer(t, {
    ...Object.fromEntries(silent.map((name) => [name, null])),
    'there.example': '192.0.2.1',
  });
  const resolve = ownResolve({ hosts: text(''), resolvConf: text(''), servers: [server] });
  let ended = 0;
  const waiting = silent.map((name) => resolve(name).finally(() => (ended += 1)));
  const all = Promise.allSettled(waiting);
  t.strictSame(await resolve('there.example'), [{ address: '192.0.2.1', family: 4 }]);
  t.equal(ended, 0, 'the others still wait');
  release();
  t.strictSame([...new Set((await all).map(({ status }) => status))], ['rejected']);
});

t.test('a name server that is silent is given up, and asked no more names', async (t) => {
  const { server, asked } = await nameServer(t, { 'silent.example': null });
  const more = { hosts: text(''), resolvConf: text('search a.example'), timeoutMs: 20 };
  await t.rejects(ownResolve({ ...more, servers: [server] })('silent.example'), { code: 'ETIMEOUT' });
  t.strictSame([...new Set(asked)], ['silent.example']);
});
