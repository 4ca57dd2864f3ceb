/** A notice as a syslog message, read by a parser of RFC 5424 that shares nothing with the writer. */
import t from 'tap';
import fc from '@sentinel-node/test-kit/properties';
import type { NoticeEvent } from '@sentinel-node/contracts';
import { frameMessage, syslogMessage, type MessageOptions } from '../src/syslog/message.ts';

const OPTIONS: MessageOptions = {
  facility: 16,
  sdId: 'sentinel@32473',
  host: 'sentinel.example.org',
  maxBytes: 8_192,
};

function event(data: Partial<NoticeEvent['data']> = {}, more: Partial<NoticeEvent> = {}): NoticeEvent {
  return {
    specversion: '1.0',
    id: '019aa5f0-7c00-7a10-8000-000000000009',
    source: 'https://sentinel.example.org/api/v1/orgs/o',
    type: 'sentinel-node.alert.raised',
    subject: '06NRBM1A00V8G6YB4K2C9ZQT3D',
    time: '2026-11-21T10:00:00.000Z',
    datacontenttype: 'application/json',
    orgid: '019aa5f0-7c00-7a10-8000-000000000001',
    ...more,
    data: { text: 'A new alert.', severity: 'critical', link: 'https://sentinel.example.org/x', ...data },
  };
}

interface Parsed {
  readonly priority: number;
  readonly fields: readonly string[];
  readonly sdId: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly text: string;
}

/** By the grammar of RFC 5424, 6, a character at a time. @throws Error where the message does not follow it */
function parsed(bytes: Uint8Array): Parsed {
  const message = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  const head =
    /^<(\d{1,3})>1 (\S+) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) \[/.exec(
      message,
    );
  if (head === null) throw new Error(`no header: ${message}`);
  let at = head[0].length;
  const name = (end: RegExp): string => {
    const start = at;
    while (at < message.length && !end.test(message[at]!)) at++;
    const found = message.slice(start, at);
    if (!/^[\x21-\x7e]{1,32}$/.test(found) || /[="\]]/.test(found)) throw new Error(`no SD-NAME: ${found}`);
    return found;
  };
  const expect = (text: string): void => {
    if (!message.startsWith(text, at)) throw new Error(`${text} expected at ${at}: ${message}`);
    at += text.length;
  };
  const sdId = name(/[ \]]/);
  const parameters = new Map<string, string>();
  while (message[at] === ' ') {
    at++;
    const key = name(/[=]/);
    expect('="');
    let value = '';
    while (message[at] !== '"') {
      if (at >= message.length) throw new Error('a value without an end');
      if (message[at] === ']') throw new Error('a bracket that is not escaped');
      if (message[at] === '\\' && ['"', '\\', ']'].includes(message[at + 1]!)) at++;
      else if (message[at] === '\\') throw new Error('a backslash that is not escaped');
      value += message[at++];
    }
    at++;
    if (parameters.has(key)) throw new Error(`${key} twice`);
    parameters.set(key, value);
  }
  expect('] ');
  return { priority: Number(head[1]), fields: head.slice(2), sdId, parameters, text: message.slice(at) };
}

t.test('header, structured data and text of a notice', async (t) => {
  const given = event({
    device: { id: 'd', name: 'web-1' },
    file: { id: 'f', path: '/etc/passwd' },
    actor: 'ada@example.org',
  });
  t.equal(
    syslogMessage(given, OPTIONS).toString(),
    '<130>1 2026-11-21T10:00:00.000Z sentinel.example.org sentinel-node - alert.raised [sentinel@32473 id="019aa5f0-7c00-7a10-8000-000000000009" type="alert.raised" org="019aa5f0-7c00-7a10-8000-000000000001" subject="06NRBM1A00V8G6YB4K2C9ZQT3D" severity="critical" device="d" deviceName="web-1" file="f" path="/etc/passwd" actor="ada@example.org" link="https://sentinel.example.org/x"] A new alert.',
  );
  t.same(parsed(syslogMessage(given, OPTIONS)).parameters.get('path'), '/etc/passwd');
});

t.test('severity and facility make the priority', async (t) => {
  const priority = (severity: NoticeEvent['data']['severity'], facility: number) =>
    parsed(syslogMessage(event({ severity }), { ...OPTIONS, facility })).priority;
  t.same([priority('info', 16), priority('warning', 16), priority('critical', 16)], [134, 132, 130]);
  t.same([priority('critical', 0), priority('info', 23)], [2, 190]);
});

t.test('the count before a message is in bytes, and text beyond ASCII has a byte order mark', async (t) => {
  const given = event({ text: 'Größe', device: { id: 'd', name: 'Gerät 😀' } });
  const message = syslogMessage(given, OPTIONS);
  t.equal(frameMessage(given, OPTIONS).toString(), `${message.length} ${message.toString()}`);
  t.equal(parsed(message).text, '\uFEFFGröße');
  t.equal(parsed(message).parameters.get('deviceName'), 'Gerät 😀');
});

t.test('a name cannot leave its value, begin a line, or forge a message', async (t) => {
  const hostile = 'a"] <130>1 - - - - - [x@1 b="c\\"]\n<130>1 forged\u0000\u2028\ud800';
  const message = syslogMessage(event({ text: hostile, file: { id: 'f', path: hostile } }), OPTIONS);
  const { parameters, text } = parsed(message);
  const shown = hostile
    .replace('\n', '\u240a')
    .replace('\u0000', '\u2400')
    .replace('\u2028', '\ufffd')
    .replace('\ud800', '\ufffd');
  t.equal(parameters.get('path'), shown);
  t.equal(text, `\uFEFF${shown}`);
  // oxlint-disable-next-line no-control-regex -- none may be there
  t.notMatch(message.toString(), /[\x00-\x1f\x7f]/);
});

t.test('what is too long is cut, and the message says what', async (t) => {
  const path = `/${'ü'.repeat(5_000)}`;
  const { parameters, text } = parsed(
    syslogMessage(event({ text: `Changed: ${path}`, file: { id: 'f', path } }), {
      ...OPTIONS,
      maxBytes: 2_048,
    }),
  );
  t.match(parameters.get('path'), /^\/ü+…$/);
  t.equal(parameters.get('cut'), 'path,msg');
  t.match(text, /^\uFEFFChanged: \/ü+…$/);
});

t.test('every notice gives a message of the grammar, within its bytes', async () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom('\\', '"', ']', '\n', 'ü', '😀', '\ud800'),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    maxLength: 3_000,
  });
  fc.assert(
    fc.property(text, text, text, fc.constantFrom(2_048, 8_192), (name, path, sentence, maxBytes) => {
      const given = event({
        text: sentence,
        device: { id: 'd', name },
        file: { id: 'f', path },
        actor: name,
      });
      const message = syslogMessage(given, { ...OPTIONS, maxBytes, host: `${'h'.repeat(300)}` });
      if (message.length > maxBytes) return false;
      const { parameters } = parsed(message);
      const isCut = (what: string): boolean => (parameters.get('cut') ?? '').split(',').includes(what);
      const shown = parameters.get('path')!;
      const clean = Buffer.from(path).toString();
      return isCut('path') ? shown.endsWith('…') : [...shown].length === [...clean].length;
    }),
    { numRuns: 300 },
  );
});
