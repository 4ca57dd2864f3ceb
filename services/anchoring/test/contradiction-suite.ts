/** A contradiction that one process found, told to later starts and to other processes, over every back end. */
import { TOPICS, type OperationRecord } from '@sentinel-node/contracts';
import { LedgerUnavailableError, type Ledger } from '@sentinel-node/platform';
import type { Test } from 'tap';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { alterCut, anchored, BATCHES, bound, deliverDue, started } from './anchored.ts';
import type { BackEnd, World } from './support.ts';

type Started = Awaited<ReturnType<typeof started>>;

/** Returns what organisations were told of anchoring and evidence. */
export async function told({ eventLog }: World): Promise<string[]> {
  const found: string[] = [];
  for await (const { records } of eventLog.read(TOPICS.operations, 0, 0))
    for (const { body } of records) {
      const { kind, state, batch } = JSON.parse(Buffer.from(body).toString()) as OperationRecord;
      found.push(`${kind}/${state}/${batch ?? '-'}`);
    }
  return found;
}

export const counts = async (world: World): Promise<number[]> => [
  (await world.cuts()).length,
  (await world.transactions()).length,
];

/** Checks that a running process makes nothing and signs nothing. */
async function isStopped(t: Test, world: World, { service, get, gauge }: Started, batch: number) {
  t.same(service.notReady(), ['anchoring']);
  t.equal(await gauge(), String(batch));
  t.equal((await get('/checkpoint')).statusCode, 503);
  t.same(await counts(world), [BATCHES, BATCHES], 'nothing is cut or anchored on top');
}

export function contradictionsOn(t: Test, openBackEnd?: () => Promise<BackEnd>): void {
  t.test(
    'what a start finds stops the process that ran before, until a start compares it again',
    async (t) => {
      const world = await anchored(t, openBackEnd);
      const running = await started(world);
      await running.turn();
      const mend = await alterCut(world, 1);
      const finding = await started(world);
      await finding.turn();
      await deliverDue(world, 77);
      world.clock.advance(ANCHORING_LIMITS.contradictionLookMs);
      await running.turn();
      await isStopped(t, world, running, 1);
      await mend();
      world.clock.advance(ANCHORING_LIMITS.contradictionLookMs);
      await running.turn();
      await isStopped(t, world, running, 1);
      await finding.end();

      const comparing = await started(world);
      t.same(comparing.service.notReady(), []);
      t.equal(await comparing.gauge(), '-1');
      t.same(
        await told(world),
        ['evidence/wrong/1', 'anchoring/wrong/1'],
        'that nothing is found is no anchor',
      );
      await comparing.end();
      world.clock.advance(ANCHORING_LIMITS.contradictionLookMs);
      await running.turn();
      t.same(running.service.notReady(), []);
      t.equal(await running.gauge(), '-1');
      t.same(await counts(world), [BATCHES + 1, BATCHES + 1]);
      world.clock.advance(ANCHORING_LIMITS.standingMs);
      await running.turn();
      t.same((await told(world)).slice(2), ['anchoring/right/-']);
      await running.end();
    },
  );

  t.test('an anchor that was on its way when it was found is no word that anchoring goes on', async (t) => {
    const world = await anchored(t, openBackEnd);
    const running = await started(world);
    await running.turn();
    await alterCut(world, 1);
    const finding = await started(world);
    await finding.turn();
    world.clock.advance(1_000);
    await deliverDue(world, 77);
    await running.turn();
    t.same(await counts(world), [BATCHES + 1, BATCHES + 1], 'the running process has not looked yet');
    for (let block = 0; block < 3; block++) {
      world.clock.advance(ANCHORING_LIMITS.standingMs);
      await running.turn();
      await world.ledger.mine();
    }
    t.same(await told(world), ['evidence/wrong/1', 'anchoring/wrong/1']);
    await finding.end();
    await running.end();
  });

  t.test('a process that stops for it tells of it, should the one that found it be gone', async (t) => {
    const world = await anchored(t, openBackEnd);
    const running = await started(world);
    await running.turn();
    await alterCut(world, 1);
    const killed = await started(world);
    world.clock.advance(ANCHORING_LIMITS.contradictionLookMs);
    await running.turn();
    t.same(await told(world), ['evidence/wrong/1', 'anchoring/wrong/1']);
    await killed.end();
    await running.end();
    t.equal((await told(world)).length, 2, 'once');
  });

  t.test('without the ledger a start cannot end what an earlier one found, and cuts wait too', async (t) => {
    const world = await anchored(t, openBackEnd);
    const mend = await alterCut(world, 1);
    await (await started(world)).end();
    await mend();
    let isAway = true;
    const status: Ledger['status'] = async (txid) => {
      if (isAway) throw new LedgerUnavailableError('away');
      return world.ledger.status(txid);
    };
    const comparing = await started(world, { ...bound(world.ledger), status });
    world.clock.advance(1_000);
    await deliverDue(world, 77);
    await comparing.turn();
    await isStopped(t, world, comparing, 1);
    isAway = false;
    await comparing.turn();
    world.clock.advance(1_000);
    await comparing.turn();
    t.same(comparing.service.notReady(), []);
    t.equal(await comparing.gauge(), '-1');
    t.same(await counts(world), [BATCHES + 1, BATCHES + 1]);
    await comparing.end();
  });
}
