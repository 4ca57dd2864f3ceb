import t from 'tap';
import {
  CURRENT_RULES,
  decodeFileEvent,
  fromHex,
  LIMITS,
  policyOf,
  type Report,
  type AgentEvent,
} from '@sentinel-node/contracts';
import { refusalOfFile, refusalOfReport, reportRecord } from '../src/domain/accept.ts';
import { bulkLines } from '../src/domain/bulk-lines.ts';
import { isMonitored, snapshotOf } from '../src/domain/device-snapshot.ts';
import {
  agentNotice,
  endedKeyNotice,
  malformedNotice,
  reportsWaitNotice,
  setAsideNotice,
  twoAgentsNotice,
} from '../src/domain/notices.ts';
import { mayRepeatNames } from '../src/domain/repeated-names.ts';
import { recordInstance, type Instances } from '../src/domain/two-agents.ts';
import { deviceEntity, fileEntity, NOW, report, SEQUENCE } from './entities.ts';

const NONCE = '0f'.repeat(16);
const STAMP = { nowMs: NOW, nonce: NONCE, noticeId: 'notice-1' };

const recordOf = (device: ReturnType<typeof snapshotOf>, fileId = device.entity.files[0]!.id) =>
  reportRecord(
    { device, source: Buffer.from('{}'), start: 0, end: 2, allocate: Buffer.allocUnsafe },
    device.files.get(fileId)!,
    { sequence: SEQUENCE },
    NOW,
    fromHex(NONCE),
  );

t.test('a report is taken only of a file that is there and monitored', async (t) => {
  const on = deviceEntity();
  const file = on.files[0]!;
  const cases: [device: typeof on, file: typeof file | undefined, code: string | undefined][] = [
    [on, file, undefined],
    [on, undefined, 'NOT_FOUND'],
    [on, { ...file, enabled: false }, 'MONITORING_DISABLED'],
    [{ ...on, enabled: false }, file, 'MONITORING_DISABLED'],
    [{ ...on, deleted: true }, file, 'MONITORING_DISABLED'],
  ];
  for (const [device, file, code] of cases) {
    const snapshot = snapshotOf(device, 1);
    const found = file === undefined ? undefined : { entity: file, headerEnd: undefined };
    t.equal(refusalOfFile(snapshot, found)?.code, code);
    if (found !== undefined) t.equal(isMonitored(snapshot, found), code === undefined);
  }
});

t.test('a sequence is at most 24 hours ahead, to the microsecond', async (t) => {
  const last = (NOW + LIMITS.sequenceAheadMs) * 1_000;
  const refused = (sequence: number) => refusalOfReport({ sequence } as Report, NOW)?.code;
  t.equal(refused(1), undefined);
  t.equal(refused(last), undefined);
  t.equal(refused(last + 1), 'SEQUENCE_AHEAD');
});

t.test('a report record carries the whole header and is found by its file and sequence', async (t) => {
  const entity = deviceEntity();
  const [file] = entity.files;
  const device = snapshotOf(entity, 7);
  t.same([...device.files], [[file!.id, { entity: file, headerEnd: undefined }]]);
  const record = recordOf(device);
  t.equal(record.key, file!.id);
  t.equal(record.id, `${file!.id}:${SEQUENCE}`);
  t.same(decodeFileEvent(record.body).header, {
    kind: 'report',
    v: 1,
    rules: CURRENT_RULES,
    orgId: entity.orgId,
    deviceId: entity.id,
    acceptedAt: NOW,
    nonce: NONCE,
    fileId: file!.id,
    policy: policyOf(entity, file!),
  });
});

t.test('the end of a header is made once a file', async (t) => {
  const files = [fileEntity(), fileEntity()];
  const device = snapshotOf(deviceEntity({ files }), 1);
  const made = files.map((file) => {
    recordOf(device, file.id);
    return device.files.get(file.id)!.headerEnd;
  });
  for (const [n, file] of files.entries()) {
    t.ok(made[n]);
    recordOf(device, file.id);
    t.equal(device.files.get(file.id)!.headerEnd, made[n]);
  }
});

t.test('notices', async (t) => {
  const device = deviceEntity();
  const read = ({ key, id, body }: ReturnType<typeof twoAgentsNotice>) => {
    const { header } = decodeFileEvent(body);
    return { key, id, header };
  };
  const stamped = {
    kind: 'notice',
    v: 1,
    rules: CURRENT_RULES,
    orgId: device.orgId,
    deviceId: device.id,
    acceptedAt: NOW,
    nonce: NONCE,
    noticeId: 'notice-1',
  };

  t.test('a body that does not fit names the first fault and goes to its file', async (t) => {
    const errors = [
      { path: '/versions', message: 'must be an array' },
      { path: '/change', message: 'is missing' },
    ];
    t.same(read(malformedNotice(device, 'file-1', errors, STAMP)), {
      key: 'file-1',
      id: 'notice-1',
      header: {
        ...stamped,
        fileId: 'file-1',
        type: 'MALFORMED_DATA',
        code: 'VALIDATION_FAILED',
        message: '/versions must be an array',
      },
    });
  });

  t.test('its message is trimmed, at most 500 characters, and never empty', async (t) => {
    const message = (errors: { path: string; message: string }[]) =>
      (read(malformedNotice(device, 'file-1', errors, STAMP)).header as { message: string }).message;
    t.equal(message([]), 'not valid');
    t.equal(message([{ path: '', message: 'is no object' }]), 'is no object');
    t.equal(message([{ path: '/a', message: 'x'.repeat(600) }]), `/a ${'x'.repeat(497)}`);
  });

  t.test('what concerns no file goes to its device', async (t) => {
    for (const [notice, code] of [
      [twoAgentsNotice(device, STAMP), 'TWO_AGENTS'],
      [endedKeyNotice(device, STAMP), 'KEY_ENDED'],
    ] as const) {
      const { key, header } = read(notice);
      t.equal(key, device.id);
      t.match(header, { ...stamped, fileId: null, type: 'AGENT_ERROR', code, message: /\w/ });
    }
  });

  t.test('reports that wait, and those that were set aside, are counted in words', async (t) => {
    const message = (notice: ReturnType<typeof twoAgentsNotice>) => {
      const { header } = read(notice);
      t.match(header, { ...stamped, fileId: null, type: 'AGENT_ERROR' });
      const { code, message } = header as { code: string; message: string };
      return `${code}: ${message}`;
    };
    const oldest = '2026-11-30T09:00:00.000Z';
    t.equal(
      message(reportsWaitNotice(device, 1, oldest, STAMP)),
      `REPORTS_WAIT: Heartbeats arrive, but 1 report of the agent waits, the oldest since ${oldest}. What they tell is not known.`,
    );
    t.match(message(reportsWaitNotice(device, 20, oldest, STAMP)), /but 20 reports of the agent wait/);
    t.equal(
      message(setAsideNotice(device, 2, 3, STAMP)),
      'REPORTS_SET_ASIDE: The agent set 2 reports aside, because the server refused one for good (3 in all since its start). What they tell is not known.',
    );
  });

  t.test('what an agent says is kept in its words', async (t) => {
    const event = { fileId: 'file-1', code: 'EACCES', message: 'cannot be read' };
    t.same(read(agentNotice(device, event as Parameters<typeof agentNotice>[1], STAMP)), {
      key: 'file-1',
      id: 'notice-1',
      header: { ...stamped, ...event, type: 'AGENT_ERROR' },
    });
  });

  t.test('an agent cannot say what the server says of a device', async (t) => {
    for (const code of ['KEY_ENDED', 'TWO_AGENTS', 'REPORTS_SET_ASIDE'])
      for (const fileId of [null, 'file-1']) {
        const event: AgentEvent = { fileId, code, message: 'of the agent' };
        const wanted = { ...stamped, ...event, type: 'AGENT_ERROR', code: `AGENT_${code}` };
        t.same(read(agentNotice(device, event, STAMP)).header, wanted);
      }
  });
});

t.test('only CR LF and LF are the end of an empty line', async (t) => {
  const split = (text: string) =>
    bulkLines(Buffer.from(text), 10)?.map(({ line, start, end }) => `${line} ${text.slice(start, end)}`);
  t.same(split('\r\na'), ['2 a']);
  t.same(split('\rab\n'), ['1 \rab']);
  t.same(split('a\n\rb\n'), ['1 a', '2 \rb']);
});

t.test('a report with members that cannot be counted is read again', async (t) => {
  const check = (changes: object) => {
    const text = JSON.stringify(report(changes));
    return mayRepeatNames(text, JSON.parse(text) as Report);
  };
  t.notOk(check({}));
  t.ok(check({ archives: [] }));
  t.ok(check({ error: {} }));
  t.ok(check({ signature: 'c2ln' }));
  t.ok(check({ instanceId: '\\' }));
});

t.test('two agents of one device', async (t) => {
  const INTERVAL_S = 60;
  const WINDOW_MS = 3 * INTERVAL_S * 1_000;
  const see = (sightings: [instance: string, atMs: number][]) => {
    let instances: Instances = [];
    let alternating = false;
    for (const [instance, atMs] of sightings)
      ({ instances, alternating } = recordInstance(instances, instance, atMs, INTERVAL_S));
    return { instances: instances.map(({ instanceId, atMs }) => `${instanceId} ${atMs}`), alternating };
  };

  t.test('an agent alone, or started again, is one', async (t) => {
    t.same(see([['a', 0]]), { instances: ['a 0'], alternating: false });
    t.same(
      see([
        ['a', 0],
        ['a', 5],
      ]),
      { instances: ['a 5'], alternating: false },
    );
    t.same(
      see([
        ['a', 0],
        ['b', 5],
      ]),
      { instances: ['a 0', 'b 5'], alternating: false },
    );
    t.same(
      see([
        ['a', 0],
        ['b', 5],
        ['b', 6],
      ]),
      { instances: ['a 0', 'b 6'], alternating: false },
    );
  });

  t.test('one that comes back after another, within three intervals, is a second', async (t) => {
    t.ok(
      see([
        ['a', 0],
        ['b', 1],
        ['a', WINDOW_MS],
      ]).alternating,
    );
    t.notOk(
      see([
        ['a', 0],
        ['b', 1],
        ['a', WINDOW_MS + 1],
      ]).alternating,
      'its first sighting is too old',
    );
    t.same(
      see([
        ['a', 0],
        ['b', 1],
        ['a', WINDOW_MS + 2],
      ]).instances,
      [`a ${WINDOW_MS + 2}`],
      'old sightings are forgotten',
    );
  });

  t.test('the last four are remembered', async (t) => {
    const five = ['a', 'b', 'c', 'd', 'e'].map((name, at): [string, number] => [name, at]);
    t.same(see(five).instances, ['b 1', 'c 2', 'd 3', 'e 4']);
    t.notOk(see([...five, ['a', 5]]).alternating);
    t.ok(see([...five, ['b', 5]]).alternating);
  });
});
