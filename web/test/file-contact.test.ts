/** The order of a device's files by their state. */
import type { File } from '@sentinel-node/contracts';
import t from 'tap';
import { troubleOf } from '../src/files/file-contact.ts';
import { file } from './fixtures.ts';

const parked = { cause: 'RULES_FAILED', since: '2026-11-21T10:30:00.000Z', waiting: 1 } as const;
const of = (name: string, more: Partial<File> = {}): File => file(1, name, `/srv/${name}`, 0, more);

const byTrouble = (files: readonly File[], deviceEnabled = true): string[] =>
  files
    .toSorted((one, other) => troubleOf(one, deviceEnabled) - troubleOf(other, deviceEnabled))
    .map(({ name }) => name);

t.test('files with problems come before others, each by what is shown of it', (t) => {
  const files = [
    of('in contact'),
    of('off', { enabled: false, missing: true, contact: 'LOST' }),
    of('waiting', { contact: 'WAITING' }),
    of('missing', { missing: true }),
    of('lost', { contact: 'LOST' }),
    of('parked, off', { parked, enabled: false }),
    of('one alert', { activeAlerts: 1, parked }),
    of('two alerts', { activeAlerts: 2 }),
  ];
  t.strictSame(byTrouble(files), [
    ...['two alerts', 'one alert', 'parked, off', 'lost', 'missing'],
    ...['waiting', 'off', 'in contact'],
  ]);
  t.end();
});

t.test('no file of a device that is off counts as lost', (t) => {
  const lost = of('lost', { contact: 'LOST' });
  t.equal(troubleOf(lost, false), troubleOf(of('off', { enabled: false }), true));
  t.strictSame(byTrouble([lost, of('parked', { parked })], false), ['parked', 'lost']);
  t.end();
});
