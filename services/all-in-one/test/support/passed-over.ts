/**
 * Tests unprocessable records on Kafka and MongoDB: found, listed, replayed and skipped while the services
 * work.
 */
import type { Test } from 'tap';
import type { Cluster } from './cluster.ts';
import { poison } from './poison.ts';
import { version } from './reporter.ts';
import { linksOf, linksOnce, sceneOn } from './scene.ts';
import { until } from './until.ts';

async function waiting(cluster: Cluster): Promise<number> {
  const { stdout, stderr } = await cluster.command('dead-letters', 'list', '--json');
  if (!stdout.startsWith('{')) throw new Error(`the list did not work: ${stderr}`);
  const { files } = JSON.parse(stdout) as { files: { waiting: number }[] };
  return files.reduce((sum, file) => sum + file.waiting, 0);
}

/** Poisons a file: its reports wait, and go on when a person passes over the record that cannot be judged. */
export async function passesOverPoison(t: Test, cluster: Cluster): Promise<void> {
  const { agent, files } = await sceneOn(t, cluster, { one: {}, two: {} });
  const { one = '', two = '' } = files;
  await agent.report(one, 'FIRST', version('0'));
  await linksOnce(agent, one, 1);
  await poison(cluster, one);
  for (let n = 1; n <= 5; n += 1)
    await agent.report(one, 'REPLACED', version(String(n - 1)), version(String(n)));
  await agent.report(two, 'FIRST', version('a'));
  await linksOnce(agent, two, 1);

  await t.test('the file waits and is listed; a replay is refused', async (t) => {
    await until('six dead letters', async () => ((await waiting(cluster)) === 6 ? true : undefined));
    t.equal((await linksOf(agent, one)).length, 1);
    const { code, stdout } = await cluster.command('dead-letters', 'replay', one);
    t.equal(code, 1);
    t.match(stdout, /still parked, letter 0 cannot be judged: a record of no known kind/);
  });

  await t.test('passed over while more reports arrive, the chain is whole and in order', async (t) => {
    const live = (async () => {
      for (let n = 6; n <= 30; n += 1)
        await agent.report(one, 'REPLACED', version(String(n - 1)), version(String(n)));
    })();
    const { code, stdout, stderr } = await cluster.command('dead-letters', 'replay', one, '--skip');
    t.equal(code, 0, stderr);
    t.match(stdout, /\d+ replayed, 1 passed over; parked no longer/);
    await live;
    const links = await linksOnce(agent, one, 31);
    t.same(
      links.map(({ hash, alerts }) => [hash, alerts.length]).reverse(),
      Array.from({ length: 31 }, (_, n) => [version(String(n)).hash, 0]),
    );
    t.equal(await waiting(cluster), 0);
  });

  await t.test('the audit agrees', async (t) => {
    const { code, stdout } = await cluster.command('audit', '--json');
    t.equal(code, 0, stdout);
  });
}
