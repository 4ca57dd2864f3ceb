/** The time from the 202 of a report to the webhook of its alert, and the pipeline at the same time, with rules and without. */
import { join } from 'node:path';
import { Child } from './child.mjs';
import { makeFleet, targetsOf } from './fleet.mjs';
import { Flow } from './flow.mjs';
import { say, SECRET } from './open.mjs';
import { GOALS } from './settings.mjs';
import { percentile, row } from './statistics.mjs';

export async function notify({
  folder,
  notifyFiles,
  notifySeconds,
  alertsPerSecond,
  repeats,
  warmUpSeconds,
}) {
  // Each repeat raises alerts twice: alone and beside the pipeline.
  const count = alertsPerSecond * notifySeconds;
  const scene = { notifyFiles, alerts: 2 * count * repeats };
  const on = await opened(join(folder, 'on'), { ...scene, told: true });
  const off = await opened(join(folder, 'off'), { ...scene, told: false });
  say(
    `${notifyFiles} files of a pipeline and ${scene.alerts} that must not change have their baseline, with rules and without`,
  );
  const runs = [];
  const raise = (system) => system.raise(count, alertsPerSecond);
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const run = { alone: await raise(on) };
    // In turns, so that other work of the machine affects both equally.
    for (const [name, system] of turns(repeat, on, off)) {
      run[`${name} quiet`] = await system.flow.measure(notifySeconds, warmUpSeconds);
      const [raised, beside] = await Promise.all([raise(system), system.flow.measure(notifySeconds, 0)]);
      run[name] = { ...beside, raised };
    }
    runs.push(run);
    say(`p99 ${percentile(run.alone.millis, 0.99).toFixed(0)} ms alone`);
  }
  await on.stop();
  await off.stop();
  return { rows: rowsOf(runs, alertsPerSecond), notes: notesOf(runs) };
}

const turns = (repeat, on, off) => {
  const both = [
    ['on', on],
    ['off', off],
  ];
  return repeat % 2 === 0 ? both : both.reverse();
};

async function opened(folder, { notifyFiles, alerts, told }) {
  const alarms = new Child('notify-alerts.mjs');
  const { url } = await alarms.ask('listen');
  const fleet = makeFleet(notifyFiles);
  const fixed = makeFleet(alerts).devices.map((device) => ({ ...device, modifiable: false }));
  const flow = await Flow.open(folder, fleet, { fixed, told: told ? { url } : {} });
  await alarms.ask('baseline', { url: flow.url, targets: targetsOf({ ...fleet, devices: fixed }, SECRET) });
  return {
    flow,
    raise: async (count, rate) => alarms.ask('raise', { url: flow.url, count, rate, told }),
    stop: async () => {
      await flow.stop();
      await alarms.stop();
    },
  };
}

function rowsOf(runs, alertsPerSecond) {
  const of = (name, format, value, goal) => row(name, format, runs.map(value), goal);
  const least = `≥ ${GOALS.notifyRatio.toFixed(2)}`;
  const at = `${alertsPerSecond} alerts/s`;
  return [
    of(`${at} to webhook, p50 ms`, 'millis', ({ alone }) => percentile(alone.millis, 0.5)),
    of(
      `${at} to webhook, p99 ms`,
      'millis',
      ({ alone }) => percentile(alone.millis, 0.99),
      `≤ ${GOALS.notifyP99Ms}`,
    ),
    of('beside the pipeline, p99 ms', 'millis', ({ on }) => percentile(on.raised.millis, 0.99)),
    of('rules, nothing to tell: µs a report', 'micros', (run) => run['on quiet'].cpu),
    of('no rules: µs a report', 'micros', (run) => run['off quiet'].cpu),
    of('ratio by processor time', 'ratio', (run) => run['off quiet'].cpu / run['on quiet'].cpu, least),
    of('ratio of the rates', 'ratio', (run) => run['on quiet'].projected / run['off quiet'].projected, least),
    of(`rules, ${at}: µs a report`, 'micros', ({ on }) => on.cpu),
    of(`no rules, ${at}: µs a report`, 'micros', ({ off }) => off.cpu),
    of('ratio by processor time', 'ratio', ({ on, off }) => off.cpu / on.cpu),
    of('ratio of the rates', 'ratio', ({ on, off }) => on.projected / off.projected),
  ];
}

function notesOf(runs) {
  const told = runs.flatMap(({ alone, on }) => [alone, on.raised]);
  const sum = (field) => told.reduce((all, one) => all + one[field], 0);
  return [
    `${sum('lost')} of ${told.reduce((all, one) => all + one.millis.length + one.lost, 0)} alerts were not told.`,
  ];
}
