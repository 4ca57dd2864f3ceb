/** Tests that nobody takes the word of an agent for that of the server. */
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { isServerCode, type NoticeRecord } from '@sentinel-node/contracts';
import { report, startWorld } from './support.ts';

const CODES = [
  'KEY_ENDED',
  'REPORTS_NOT_JUDGED',
  'REPORTS_SET_ASIDE',
  'REPORTS_WAIT',
  'SEQUENCE_BACK',
  'SEQUENCE_REUSED',
  'TWO_AGENTS',
];

t.test(
  'given an event of an agent with a code of the server, then it is marked as of the agent',
  async (t) => {
    const world = await startWorld(t);
    const events = [...CODES, 'SPOOL_FULL'].map((code) => ({ code, message: 'so it says', fileId: null }));
    const timestamp = new Date(world.clock.now()).toISOString();
    const heartbeat = {
      ...{
        timestamp,
        instanceId: '3f9c2a71',
        agentVersion: '1',
        queue: 0,
        oldestUnsent: null,
        files: [],
        events,
      },
    };
    t.equal((await world.health(heartbeat)).statusCode, 200);
    const told = (await world.records()).flatMap(({ header }) =>
      header.kind === 'notice' ? [(header as NoticeRecord).code] : [],
    );
    t.strictSame(told.sort(), [...CODES.map((code) => `AGENT_${code}`), 'SPOOL_FULL'].sort());
  },
);

t.test(
  'given a report of an error with a code of the server, then it is refused, alone and in bulk',
  async (t) => {
    const world = await startWorld(t);
    const failed = (code: string) =>
      report({ change: 'ERROR', versions: [], error: { code, message: 'so it says' } });
    for (const code of [...CODES, ' sequence_back ', 'ＫＥＹ＿ＥＮＤＥＤ', 'SEQUENCE\u200b_REUSED']) {
      const refused = await world.send(failed(code));
      t.equal(refused.statusCode, 422, code);
      matchWhole(t, refused.json(), { code: 'VALIDATION_FAILED', errors: [{ path: '/error/code' }] });
      const line = JSON.stringify({ fileId: world.file.id, ...failed(code) });
      matchWhole(t, (await world.bulk(line)).json(), {
        accepted: 0,
        rejected: [{ code: 'VALIDATION_FAILED' }],
      });
    }
    for (const code of ['EACCES', 'BUSY', 'KEY_ENDED_TOO'])
      t.equal((await world.send(failed(code))).statusCode, 202, code);
  },
);

t.test('codes of agents', async (t) => {
  for (const code of ['', 'EACCES', 'AGENT_KEY_ENDED', 'KEY ENDED!']) t.notOk(isServerCode(code), code);
});
