import t from 'tap';
import { easyHash, easyHeaders, withoutWork } from '@sentinel-node/test-kit/fakes';
import { BestChain } from '../src/ledger/index.ts';

const base = easyHeaders({ count: 200 });
const at = (headers: Uint8Array, index: number): Uint8Array => headers.slice(index * 80, index * 80 + 80);
const chainOf = (headers: Uint8Array = base): BestChain => {
  const chain = new BestChain({ network: 'regtest', checkpoint: { height: 100, hash: easyHash(base, 0) } });
  t.same(chain.offer(100, headers), { outcome: 'TAKEN', from: 100 });
  return chain;
};
const branch = (from: number, count: number, salt = 1): Uint8Array =>
  easyHeaders({ count, salt, after: at(base, from - 101) });

t.test('headers from the checkpoint on are known by their height', async (t) => {
  const chain = chainOf();
  t.equal(chain.height, 299);
  t.same(chain.headerAt(100), at(base, 0));
  t.same(chain.headerAt(299), at(base, 199));
  for (const height of [99, 300, 100.5, -1]) t.equal(chain.headerAt(height), undefined);
  t.equal(chain.work(), 398n);
});

t.test('a chain begins with the checkpoint and nothing else', async (t) => {
  const chain = new BestChain({ network: 'regtest', checkpoint: { height: 100, hash: easyHash(base, 1) } });
  t.same(chain.offer(100, base), { outcome: 'REFUSED', problem: 'OTHER_CHAIN', height: 100 });
  t.equal(chain.height, 99);
  t.match(chain.offer(101, base.slice(80)), { problem: 'OTHER_CHAIN', height: 101 }, 'at another height');
  const broken = Buffer.concat([at(base, 1), at(base, 3)]);
  t.same(chain.offer(100, broken), { outcome: 'REFUSED', problem: 'NOT_LINKED', height: 101 });
  t.equal(chain.height, 99, 'nothing of what is refused is kept');
  t.match(chain.offer(100, base.slice(0, 81)), { problem: 'NOT_HEADERS' });
});

t.test('the branch with more work takes the place of any depth above the checkpoint', async (t) => {
  for (const from of [101, 150, 299]) {
    const chain = chainOf();
    const longer = branch(from, 301 - from);
    t.same(chain.offer(from, longer), { outcome: 'TAKEN', from });
    t.equal(chain.height, 300);
    t.same(chain.headerAt(300), longer.slice(-80));
    t.same(chain.headerAt(from - 1), at(base, from - 101));
    t.equal(chain.work(), 400n);
  }
  const chain = chainOf();
  const other = easyHeaders({ count: 300, salt: 9 });
  t.same(chain.offer(100, other), { outcome: 'REFUSED', problem: 'OTHER_CHAIN', height: 100 });
});

t.test('a branch of less work is refused, one of the same work comes too late', async (t) => {
  const chain = chainOf();
  t.same(chain.offer(250, branch(250, 49)), { outcome: 'REFUSED', problem: 'LESS_WORK', height: 250 });
  t.same(chain.offer(250, branch(250, 50)), { outcome: 'KEPT' });
  t.same(chain.headerAt(299), at(base, 199));
  t.same(chain.offer(200, base.slice(100 * 80)), { outcome: 'KEPT' }, 'what is known is nothing new');
});

t.test('a shorter branch can take the place only with more work', async (t) => {
  const hard = 0x1f7fffff;
  const start = easyHeaders({ count: 1 });
  const checkpoint = { height: 0, hash: easyHash(start, 0) };
  const chain = new BestChain({ network: 'recorded', checkpoint });
  chain.offer(0, Buffer.concat([start, easyHeaders({ count: 20, after: start })]));
  const harder = easyHeaders({ count: 1, after: start, bits: hard });
  t.same(chain.offer(1, harder), { outcome: 'TAKEN', from: 1 });
  t.equal(chain.height, 1);
  t.equal(chain.headerAt(2), undefined);
});

t.test('a header that is wrong changes nothing', async (t) => {
  const chain = chainOf();
  const next = easyHeaders({ count: 3, after: at(base, 199) });
  const wrong = Buffer.concat([next.slice(0, 160), withoutWork(next.slice(160))]);
  t.same(chain.offer(300, wrong), { outcome: 'REFUSED', problem: 'NO_WORK', height: 302 });
  t.equal(chain.height, 299);
  t.match(chain.offer(301, next.slice(80)), { problem: 'NOT_LINKED', height: 301 }, 'a gap');
  const late = easyHeaders({ count: 1, after: at(base, 199), spacingSeconds: 100_000 });
  t.match(chain.offer(300, late, 1_700_000_000 + 200 * 600), { problem: 'TIME_TOO_NEW', height: 300 });
  t.match(chain.offer(300, late), { outcome: 'TAKEN' });
});

t.test('headers take 80 bytes each and a bounded room', async (t) => {
  const chain = chainOf();
  t.equal(chain.range(100, 299).length, 200 * 80);
  t.same(chain.range(110, 111), base.slice(800, 960));
});
