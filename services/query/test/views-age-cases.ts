/** The age of views that a real projector writes from a real log; over both back ends. */
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  silentLog,
  systemClock,
  systemTimers,
  type DocumentStore,
  type EventLog,
} from '@sentinel-node/platform';
import type { Test } from 'tap';
import { projectorService } from '../src/views/projector.ts';
import { VIEWS_AGE, ViewsAge } from '../src/views/index.ts';
import { appendChain, FileHistory, uuid } from './chain-records.ts';
import { eventually } from './world.ts';

interface BackEnd {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  close(): Promise<void>;
}

export function viewsAgeCases(t: Test, open: () => Promise<BackEnd>): void {
  void t.test('views are behind while the projector or the verifier is away', async (t) => {
    const { store, eventLog, close } = await open();
    t.teardown(close);
    const log = silentLog();
    let now = 0;
    const age = new ViewsAge({ eventLog, clock: systemClock, log, now: () => now });
    /** Resolves when a look finds this; time passes for the rule only. */
    const looksLike = (state: string, passing = 0) =>
      eventually(async () => {
        now += passing;
        await age.look();
        return age.word.state === state || undefined;
      });
    await looksLike('CURRENT');
    const history = new FileHistory({ orgId: uuid(1), deviceId: uuid(2), fileId: uuid(3) }, Date.now());
    await appendChain(eventLog, [history.baseline()]);
    await looksLike('BEHIND', VIEWS_AGE.lookMs);
    const before = age.word.asOf;
    t.ok(before !== null && before <= new Date().toISOString());
    const projector = projectorService({ store, eventLog, timers: systemTimers, log });
    await projector.start();
    t.teardown(() => projector.stop());
    await looksLike('CURRENT');
    t.ok(age.word.asOf! > before!);

    await eventLog.append(TOPICS.fileEvents, [{ key: uuid(3), id: 'report', body: Buffer.from('{}') }]);
    await looksLike('BEHIND', VIEWS_AGE.lookMs);
    const verifier = await eventLog.consume([TOPICS.fileEvents], GROUPS.verifier, async () => undefined);
    t.teardown(() => verifier.stop());
    await looksLike('CURRENT');
  });
}
