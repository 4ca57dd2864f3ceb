import { PassThrough, Writable } from 'node:stream';
import t from 'tap';
import type { FeedItem } from '@sentinel-node/contracts';
import { formatEventId, parseEventId, STREAM_LIMITS, STREAM_TIMES } from '../src/stream/index.ts';
import { Channel, type ChannelDeps } from '../src/stream/channel.ts';
import { StreamClient } from '../src/stream/client.ts';
import { Delivery } from '../src/stream/delivery.ts';
import type { Frame } from '../src/stream/frames.ts';
import { Merger } from '../src/stream/merger.ts';
import { eventually } from './world.ts';

const file = (id: string, rev: number): FeedItem => ({ kind: 'file', id, rev });
const alert: FeedItem = { kind: 'alert', id: 'A', rev: 1 };
const NO_DEVICES = new Map();
const VIEWER = { userId: 'u', role: 'ADMIN' } as const;

t.test('ids are the epoch, whatever it holds, and the offset', async (t) => {
  for (const id of [
    { epoch: 'a:b', offset: 7 },
    { epoch: '', offset: -1 },
  ])
    t.same(parseEventId(formatEventId(id)), id);
  for (const text of ['', '7', 'a:', 'a:x', 'a:-2', 'a:1.5']) t.equal(parseEventId(text), undefined, text);
});

t.test('a file is let through once a second, an alert always', async (t) => {
  const merger = new Merger();
  t.same(merger.take([file('f', 1), alert], 10, 0), [file('f', 1), alert]);
  t.same(merger.take([file('f', 2), alert], 11, 100), [alert]);
  t.same(merger.take([file('f', 3), file('g', 1)], 12, 200), [file('g', 1)]);
  t.equal(merger.sentUpTo(12), 10, 'what waits came with record 11');
  t.same(merger.due(900), []);
  t.same(merger.due(1_000), [file('f', 3)], 'the newest of what was merged');
  t.equal(merger.sentUpTo(12), 12);
  t.notOk(merger.isWaiting);
});

t.test('too many files wait for the next second', async (t) => {
  const merger = new Merger();
  const many = Array.from({ length: STREAM_LIMITS.frequentPerSecond + 5 }, (_, at) => file(`f${at}`, 1));
  t.equal(merger.take(many, 1, 0).length, STREAM_LIMITS.frequentPerSecond);
  t.equal(merger.due(999).length, 0);
  t.equal(merger.due(1_000).length, 5);
});

const filesTo = (count: number): FeedItem[] => Array.from({ length: count }, (_, at) => file(`f${at}`, 1));

t.test('a device and the summary do not wait behind files', async (t) => {
  const merger = new Merger();
  const device: FeedItem = { kind: 'device', id: 'd', rev: 1 };
  const summary: FeedItem = { kind: 'summary', id: 'o', rev: 1 };
  const many = filesTo(STREAM_LIMITS.frequentPerSecond + 5);
  t.same(merger.take([...many, device, summary], 1, 0).slice(-2), [device, summary]);
});

t.test('files that wait come before those that are named later', async (t) => {
  const merger = new Merger();
  merger.take(filesTo(STREAM_LIMITS.frequentPerSecond + 5), 1, 0);
  const later = Array.from({ length: STREAM_LIMITS.frequentPerSecond }, (_, at) => file(`g${at}`, 1));
  t.same(merger.take(later, 2, 1_000), [], 'the next second begins with what waits');
  const due = merger.due(1_001).map(({ id }) => id);
  t.same(due.slice(0, 6), ['f250', 'f251', 'f252', 'f253', 'f254', 'g0']);
  t.equal(due.length, STREAM_LIMITS.frequentPerSecond);
});

t.test('files beyond the limit are dropped until the clients load anew, at most once a minute', async (t) => {
  const merger = new Merger();
  const device: FeedItem = { kind: 'device', id: 'd', rev: 1 };
  const kept = STREAM_LIMITS.frequentPerSecond + STREAM_LIMITS.pendingObjects;
  merger.take(filesTo(kept), 1, 0);
  t.notOk(merger.isResyncDue(0), 'nothing is dropped yet');
  merger.take([file('more', 1)], 2, 0);
  t.ok(merger.isResyncDue(0));
  merger.clear(0);
  t.notOk(merger.isWaiting);
  t.equal(merger.sentUpTo(2), 2);

  merger.take(filesTo(kept), 3, 1_000);
  t.same(merger.take([file('more', 2), device], 4, 1_000), [device], 'a device is never dropped');
  t.notOk(merger.isResyncDue(STREAM_TIMES.resync - 1));
  // Every waiting file is sent, and the dropped one still counts.
  for (let at = 2_000; merger.due(at).length > 0; at += 1_000);
  t.ok(merger.isWaiting);
  t.equal(merger.sentUpTo(4), 3, 'who resumes hears of what was dropped');
  t.ok(merger.isResyncDue(STREAM_TIMES.resync));
});

/** A channel of the organisation `o` with one client, and what the client is sent. */
function channelOf(deps: Pick<ChannelDeps, 'reads' | 'delivered' | 'onError'>) {
  const channel = new Channel('o', {
    ...deps,
    timers: { delay: async () => undefined },
    epoch: () => 'e',
    refresh: async () => undefined,
  });
  const out = new PassThrough();
  let text = '';
  out.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const currentId = () => 'e:0';
  channel.add(new StreamClient({ orgId: 'o', token: 't', viewer: VIEWER, limits: null, out, currentId }));
  return {
    channel,
    /** Returns how many events of this name the client was sent. */
    told: (event: string): number => text.split(`event: ${event}`).length - 1,
    /** Resolves when all that the channel has begun is done. */
    done: () => new Promise<void>((resolve) => channel.run(() => resolve())),
  };
}

t.test('an organisation of too many files gets one resync a minute, whatever comes', async (t) => {
  let ms = 0;
  t.intercept(performance, 'now', { value: () => ms });
  const reads = {
    store: { get: async () => undefined, getMany: async () => [] },
    clock: { now: () => 0 },
  } as unknown as ChannelDeps['reads'];
  let offset = 0;
  const { channel, told, done } = channelOf({
    reads,
    delivered: () => offset,
    onError: (error) => t.fail(String(error)),
  });
  const minuteOf = async (seconds: number): Promise<void> => {
    const all = filesTo(2 * STREAM_LIMITS.pendingObjects);
    for (let n = 0; n < seconds; n++) {
      for (let at = 0; at < all.length; at += 2_000) channel.publish(all.slice(at, at + 2_000), ++offset);
      channel.tick();
      await done();
      ms += 1_000;
    }
  };
  await minuteOf(60);
  t.equal(told('resync'), 1, 'at once');
  await minuteOf(1);
  t.equal(told('resync'), 2, 'and after a minute');
  await minuteOf(30);
  t.equal(told('resync'), 2);
  ms += 60_000;
  channel.tick();
  await done();
  t.equal(told('resync'), 3, 'when nothing more comes, the last one comes after what was dropped');
  ms += 600_000;
  channel.tick();
  await done();
  t.equal(told('resync'), 3, 'and no more');
});

t.test('looks for expirations that fail cost a resync each ten seconds, and no more', async (t) => {
  let ms = 0;
  t.intercept(performance, 'now', { value: () => ms });
  let isFailing = true;
  const expirations = async () => {
    if (isFailing) throw new Error('the store does not answer');
    return { devices: [], files: [], nextAt: null };
  };
  const reads = {
    store: {},
    clock: { now: () => ms },
    summaries: { expirations, summary: async () => ({}), revision: () => ms },
  } as unknown as ChannelDeps['reads'];
  let failed = 0;
  const { channel, told, done } = channelOf({ reads, delivered: () => 0, onError: () => void failed++ });
  const pass = async (seconds: number): Promise<void> => {
    for (let n = 0; n < seconds; n++) {
      channel.checkLapses();
      await done();
      ms += 1_000;
    }
  };
  await pass(1);
  t.equal(told('resync'), 1, 'at once: what is shown may be out of date');
  await pass(29);
  t.equal(told('resync'), 3);
  t.equal(failed, 3);
  isFailing = false;
  await pass(11);
  t.equal(told('resync'), 3);
  t.equal(told('summary'), 1, 'and it looks again');
});

t.test('a client that does not read gets one resync when it reads again', async (t) => {
  const out = new PassThrough({ highWaterMark: 1 });
  const client = new StreamClient({
    orgId: 'o',
    token: 't',
    viewer: VIEWER,
    limits: null,
    out,
    currentId: () => 'e:99',
  });
  const data = JSON.stringify('x'.repeat(200_000));
  const frame: Frame = { event: 'alert', data };
  for (let n = 0; n < 50; n++) client.send(new Delivery([frame], `e:${n}`, NO_DEVICES));
  t.ok(out.writableLength + out.readableLength <= STREAM_LIMITS.clientBufferBytes + data.length, 'bounded');
  let text = '';
  out.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await eventually(async () => (text.includes('event: resync') ? true : undefined));
  t.equal(text.match(/event: resync/g)!.length, 1);
  t.match(text, /id: e:99\nevent: resync\ndata: \{\}\n\n$/);
  client.send(new Delivery([frame], 'e:100', NO_DEVICES));
  await eventually(async () => (text.includes('id: e:100') ? true : undefined));
  t.pass('and goes on');
});

t.test('a large delivery behind a few waiting bytes is not lost', async (t) => {
  let taken = 0;
  let take = (): void => undefined;
  const out = new Writable({
    highWaterMark: 16_384,
    write: (chunk: Buffer, _, done) => {
      taken += chunk.length;
      take = done;
    },
  });
  const client = new StreamClient({
    orgId: 'o',
    token: 't',
    viewer: VIEWER,
    limits: null,
    out,
    currentId: () => 'e:1',
  });
  client.ready('e:0');
  t.ok(out.writableLength > 0 && !out.writableNeedDrain, 'a few bytes wait, and no drain will be told');
  const data = JSON.stringify('x'.repeat(STREAM_LIMITS.clientBufferBytes));
  client.send(new Delivery([{ event: 'alert', data }], 'e:1', NO_DEVICES));
  take();
  await eventually(async () => (taken > data.length ? true : undefined));
  t.pass('it is written');
});

t.test('a client that stays slow is cut off', async (t) => {
  const out = new Writable({ highWaterMark: 1, write: () => undefined });
  const client = new StreamClient({
    orgId: 'o',
    token: 't',
    viewer: VIEWER,
    limits: null,
    out,
    currentId: () => 'e:1',
  });
  const data = 'x'.repeat(STREAM_LIMITS.clientBufferBytes);
  for (let n = 0; n < 3; n++) client.send(new Delivery([{ event: 'alert', data }], 'e:0', NO_DEVICES));
  client.comment(performance.now());
  t.notOk(out.destroyed);
  client.comment(performance.now() + STREAM_LIMITS.slowMs + 1_000);
  t.ok(out.destroyed);
});

t.test('frames that a viewer may not see do not carry the id away', async (t) => {
  const out = new PassThrough();
  const client = new StreamClient({
    orgId: 'o',
    token: 't',
    viewer: VIEWER,
    limits: null,
    out,
    currentId: () => 'e:1',
  });
  const shown: Frame = { event: 'event', data: '{}' };
  const hidden: Frame = { event: 'user', dataFor: () => null };
  client.send(new Delivery([shown, hidden], 'e:5', NO_DEVICES));
  client.send(new Delivery([hidden], 'e:6', NO_DEVICES));
  t.equal(String(out.read()), 'id: e:5\nevent: event\ndata: {}\n\n');
});

t.test('clients that get the same share the bytes; limits and persons have their own', async (t) => {
  const everybody = { viewer: VIEWER, limits: null };
  const other = { viewer: { userId: 'v', role: 'REGULAR' }, limits: null } as const;
  const ofDevice: Frame = { event: 'alert', deviceId: 'd', data: '{"id":1}' };
  const ofOrganization: Frame = { event: 'anchor', data: '{"id":2}' };
  const all = new Delivery([ofDevice, ofOrganization], 'e:7', NO_DEVICES);
  t.equal(all.bytesFor(everybody), all.bytesFor(other), 'one buffer');
  t.equal(
    String(all.bytesFor(other)),
    'event: alert\ndata: {"id":1}\n\nid: e:7\nevent: anchor\ndata: {"id":2}\n\n',
  );
  const limited = { viewer: VIEWER, limits: { deviceIds: ['d'], labels: [] } };
  t.equal(all.bytesFor(limited).length, 0, 'a device that is not there is not told of');
  const personal: Frame = { event: 'user', dataFor: ({ userId }) => (userId === 'v' ? '{"id":"v"}' : null) };
  const mixed = new Delivery([ofOrganization, personal], 'e:8', NO_DEVICES);
  t.equal(String(mixed.bytesFor(everybody)), 'id: e:8\nevent: anchor\ndata: {"id":2}\n\n');
  t.equal(
    String(mixed.bytesFor(other)),
    'event: anchor\ndata: {"id":2}\n\nid: e:8\nevent: user\ndata: {"id":"v"}\n\n',
  );
});
