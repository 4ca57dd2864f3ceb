import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { FairTurns, OverloadedError } from '@sentinel-node/platform';

const turnsOf = (whole: number, waiting = 1_000, waitMs = 60_000) =>
  new FairTurns({ unit: 'reads', whole, waiting, waitMs });

/** Takes a turn, and records the name when the turn comes. */
function ask(turns: FairTurns, group: string, came: string[], name = group) {
  const turn = { release: undefined as (() => void) | undefined };
  const asked = turns.take(group).then((release) => {
    came.push(name);
    turn.release = release;
  });
  return Object.assign(turn, { asked });
}

type Asked = Pick<ReturnType<typeof ask>, 'release'>;

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Releases the taken turns until all callers have had theirs. */
async function allRelease(asked: readonly Asked[]): Promise<void> {
  for (let round = 0; round <= asked.length; round += 1) {
    await settled();
    for (const { release } of asked) release?.();
  }
}

t.test('a group alone gets half, and a newcomer a turn at once', async (t) => {
  const turns = turnsOf(8);
  const came: string[] = [];
  const greedy = Array.from({ length: 20 }, () => ask(turns, 'greedy', came));
  await settled();
  t.equal(came.length, 4);
  const modest = ask(turns, 'modest', came);
  await modest.asked;
  t.equal(came.at(-1), 'modest');
  t.equal(turns.used, 5);
  await allRelease([...greedy, modest]);
  t.equal(came.length, 21);
});

t.test('groups that wait are served in rotation, each in the order of its calls', async (t) => {
  const turns = turnsOf(1);
  const came: string[] = [];
  const first = ask(turns, 'a', came, 'a0');
  await first.asked;
  const others = ['a1', 'a2', 'b1', 'b2', 'c1'].map((name) => ask(turns, name.slice(0, 1), came, name));
  await allRelease([first, ...others]);
  t.same(came, ['a0', 'a1', 'b1', 'c1', 'a2', 'b2']);
  t.equal(turns.used, 0);
});

t.test('a call of too many is refused, and one that waited for too long', async (t) => {
  const turns = turnsOf(1, 1, 20);
  const release = await turns.take('a');
  const late = turns.take('a');
  await t.rejects(turns.take('a'), OverloadedError, 'one may wait');
  await t.rejects(late, /did not come within 20 ms/);
  release();
  release();
  t.equal(turns.used, 0, 'a turn is given back once');
  (await turns.take('a'))();
});

t.test(
  'whatever comes and goes: never more than the whole, everybody gets a turn, nothing is left',
  async (t) => {
    const commands = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.boolean()), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), commands, async (whole, list) => {
        const turns = turnsOf(whole);
        const came: string[] = [];
        const asked = [];
        for (const [group, isRelease] of list) {
          if (isRelease) asked.find(({ release }) => release !== undefined)?.release?.();
          else asked.push(ask(turns, group, came));
          if (turns.used > whole) return false;
        }
        await allRelease(asked);
        return came.length === asked.length && turns.used === 0;
      }),
      { numRuns: 200 },
    );
    t.pass('held for 200 sequences');
  },
);
