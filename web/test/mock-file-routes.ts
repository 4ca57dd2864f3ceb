/** Of one file: itself, its history, its events; and the key of its device. */
import type { FileHistory } from '@sentinel-node/contracts';
import type { World } from './fixtures.ts';
import { ok, problem, type Handler, type MockAnswer } from './mock-answers.ts';

const placeOf = (world: World, fileId: string | undefined) => {
  for (const device of world.devices) {
    const file = device.files.find(({ id }) => id === fileId);
    if (file !== undefined) return { device, file };
  }
  return undefined;
};

function history(world: World, fileId: string | undefined): MockAnswer {
  const place = placeOf(world, fileId);
  if (place === undefined) return problem('NOT_FOUND');
  const { device, file } = place;
  const links = (world.chains.get(file.id) ?? []).toReversed();
  const newest = links.at(-1);
  const alerts = world.alerts.filter((alert) => alert.fileId === file.id);
  const body: FileHistory = {
    name: file.name,
    path: file.path,
    deleted: false,
    device: { id: device.id, name: device.name, enabled: device.enabled },
    entries: (newest?.number ?? -1) + 1,
    present:
      newest === undefined
        ? null
        : {
            length: newest.length,
            hash: newest.hash,
            missing: false,
            linkHash: newest.linkHash,
            lastLinkId: newest.id,
          },
    versions: links.map(({ id, number, type, timestamp, length }) => ({
      id,
      number,
      type,
      timestamp,
      length,
    })),
    whole: true,
    breaks: alerts.map(({ id, type, status, timestamp, lastTimestamp, occurrences, hashId, ...alert }) => ({
      id,
      type,
      status,
      timestamp,
      lastTimestamp,
      occurrences,
      hashId,
      handledAt: status === 'ACTIVE' ? null : lastTimestamp,
      overrideUserEmail: alert.overrideUserEmail,
      note: alert.note,
    })),
    olderBreaks: false,
  };
  return ok(body);
}

export const fileRoutes: Record<string, Handler> = {
  'GET /files/*/*/*': (world, _, ids) => {
    const place = placeOf(world, ids[2]);
    return place === undefined ? problem('NOT_FOUND') : ok(place.file);
  },
  'GET /files/history/*/*/*': (world, _, ids) => history(world, ids[2]),
  'GET /events/*/*/*': () => ({ status: 200, body: 'Id;Timestamp\r\n', type: 'text/csv' }),
  'POST /devices/key/*/*': (world, _, ids) => {
    const found = world.devices.find(({ id }) => id === ids[1]);
    return found === undefined ? problem('NOT_FOUND') : ok(found);
  },
};
