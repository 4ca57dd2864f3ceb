import t from 'tap';
import { FairPool, NotDurableError, type LogRecord } from '@sentinel-node/platform';
import { durableAppend } from '../src/append.ts';

const record = (bytes: number): LogRecord => ({ key: 'k', id: 'i', body: new Uint8Array(bytes) });
const sender = (orgId: string) => ({ orgId, id: `${orgId}'s device` });

t.test('an organisation has no more bytes on their way into the log than are free', async (t) => {
  const pool = new FairPool({ unit: 'bytes', whole: 800, perMember: 800 });
  const ends: ((error?: Error) => void)[] = [];
  const eventLog = {
    append: () =>
      new Promise<never[]>((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve([]) : reject(error)));
      }),
  };
  const append = durableAppend(eventLog, pool, { note: () => undefined }, () => undefined);
  const first = append(sender('a'), [record(100), record(300)]);
  t.match(await append(sender('a'), [record(1)]), { code: 'OVERLOADED' });
  t.equal(ends.length, 1, 'the log was not asked');
  const other = append(sender('b'), [record(200)]);
  t.match(await append(sender('b'), [record(1)]), { code: 'OVERLOADED' });
  ends[0]!();
  t.equal(await first, undefined);
  t.equal(pool.used, 200);
  ends[1]!(new NotDurableError('the disk is full'));
  t.match(await other, { code: 'NOT_DURABLE' });
  t.equal(pool.used, 0, 'given back, also after a failure');
  const again = append(sender('a'), [record(400)]);
  ends[2]!();
  t.equal(await again, undefined);
});
