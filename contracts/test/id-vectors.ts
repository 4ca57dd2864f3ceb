import { fromHex, toHex, utf8 } from '../src/bytes/bytes.ts';
import * as ids from '../src/ids.ts';
import { murmur2, partitionOf } from '../src/partitioner.ts';
import { uuidV7 } from '../src/uuid.ts';
import * as given from './vector-inputs.ts';

export function idVectors() {
  const file = given.FILES[0];
  const causes = [
    { timeMs: 0, kind: 'LINK', cause: ids.reportCause(file, 1, 0), of: ['report', file, 1, 0] },
    {
      timeMs: 1_795_255_200_250,
      kind: 'BREAK',
      cause: ids.reportCause(file, 1_795_255_200_000_005, 3),
      of: ['report', file, 1_795_255_200_000_005, 3],
    },
    {
      timeMs: 1_795_255_200_250,
      kind: 'ALERT',
      cause: ids.reportCause(file, 1_795_255_200_000_005, 3),
      of: ['report', file, 1_795_255_200_000_005, 3],
    },
    {
      timeMs: 2 ** 48 - 1,
      kind: 'DISMISSED',
      cause: ids.commandCause('ü-command'),
      of: ['command', 'ü-command'],
    },
    {
      timeMs: 1_795_255_200_250,
      kind: 'CREATE_FILE',
      cause: ids.registryCause(`device-${given.DEVICE}`, 4, 0),
      of: ['registry', `device-${given.DEVICE}`, 4, 0],
    },
    {
      timeMs: 1_795_255_200_250,
      kind: 'CREATE_FILE',
      cause: ids.registryCause(`device-${given.DEVICE}`, 4, 1),
      of: ['registry', `device-${given.DEVICE}`, 4, 1],
    },
    {
      timeMs: 1_795_255_200_250,
      kind: 'MALFORMED_DATA',
      cause: ids.malformedCause('m1'),
      of: ['malformed', 'm1'],
    },
  ];
  const random = '00112233445566778899';
  return {
    eventIds: causes.map(({ timeMs, kind, cause, of }) => ({
      timeMs,
      kind,
      of,
      cause: toHex(cause),
      id: ids.eventId(timeMs, kind, cause),
    })),
    uuidV7: [{ nowMs: 1_795_255_200_250, random, uuid: uuidV7(1_795_255_200_250, fromHex(random)) }],
  };
}

export function partitions() {
  return given.PARTITION_KEYS.map((key) => ({
    key,
    murmur2: murmur2(utf8(key)),
    partitions: Object.fromEntries([1, 3, 8, 64].map((count) => [count, partitionOf(key, count)])),
  }));
}
