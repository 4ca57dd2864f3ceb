import t from 'tap';
import { planOf } from '../src/mongodb/explain.ts';
import { portError } from '../src/mongodb/mongo-errors.ts';
import { shardKeyOf } from '../src/mongodb/shard-key.ts';
import { MongoBulkWriteError, MongoNetworkError, MongoServerError } from 'mongodb';

t.test('a plan of each engine is read', (t) => {
  const scan = (bounds: object) => ({ stage: 'IXSCAN', keyPattern: { _id: 1 }, indexBounds: bounds });
  const over = (inputStage: object) => ({ stage: 'FETCH', inputStage });
  const everything = { _id: ['[MinKey, MaxKey]'] };
  const backward = { _id: ['[MaxKey, MinKey]'] };
  const half = { org: ['["o", "o"]'], _id: ['[MinKey, MaxKey]'] };
  const cases: readonly (readonly [object, boolean, boolean])[] = [
    [{ stage: 'COLLSCAN' }, true, true],
    [{ stage: 'SORT', inputStage: { stage: 'COLLSCAN' } }, false, true],
    [over(scan(everything)), true, true],
    [over(scan(backward)), true, true],
    [over(scan(everything)), false, false],
    [over(scan(half)), true, false],
    [{ stage: 'EXPRESS_IXSCAN', keyPattern: '{ _id: 1 }' }, true, false],
    [{ stage: 'IDHACK' }, true, false],
    [{ queryPlan: over(scan(half)), slotBasedPlan: { stages: 'text' } }, true, false],
    [{ stage: 'SINGLE_SHARD', shards: [{ winningPlan: { stage: 'COLLSCAN' } }] }, true, true],
  ];
  for (const [winningPlan, isNarrowed, fullScan] of cases) {
    const plan = planOf({ queryPlanner: { winningPlan } }, isNarrowed);
    t.equal(plan.fullScan, fullScan, plan.detail);
  }
  t.throws(() => planOf({}, true), /form that is not known/);
  t.end();
});

t.test('failures of the driver are those of the port', (t) => {
  const code = (number: number) => new MongoServerError({ code: number, message: 'm' });
  const lost = new MongoNetworkError('connection 1 closed');
  const bulk = new MongoBulkWriteError(lost, { getWriteConcernError: () => undefined } as never);
  const cases: readonly (readonly [unknown, string | undefined])[] = [
    [code(11_000), 'CONFLICT'],
    [code(10_107), 'NOT_DURABLE'],
    [code(64), 'NOT_DURABLE'],
    [code(14_031), 'NOT_DURABLE'],
    [lost, 'NOT_DURABLE'],
    [bulk, 'NOT_DURABLE'],
    [new TypeError('t'), undefined],
  ];
  for (const [error, wanted] of cases)
    t.equal((portError(error, 'c', true) as { code?: string }).code, wanted, String(error));
  const surprise = code(13);
  t.equal(portError(surprise, 'c', true), surprise, 'not authorised is no state that passes');
  t.end();
});

t.test('what a collection is sharded by', (t) => {
  const indexes = [{ fields: ['fileId', 'number'] }];
  t.same(shardKeyOf({ name: 'links', immutable: true, indexes }), { fileId: 'hashed' });
  t.same(shardKeyOf({ name: 'files', indexes }), { _id: 'hashed' }, 'guarded by its id');
  t.same(shardKeyOf({ name: 'requests', immutable: true, indexes: [] }), { _id: 'hashed' });
  t.end();
});
