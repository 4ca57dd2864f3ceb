import type { Test } from 'tap';
import type { EventLog, RecordBatch } from '@sentinel-node/platform';
import { Collector, offsetsRise, record, records, topic, until } from './harness.ts';
import type { MakeLog } from './harness.ts';

const GROUP = 'contract-group';
/**
 * Handover time in ms: long enough to distinguish a slow handler from a stalled one, short enough to wait
 * for.
 */
const HANDOVER_MS = 2_000;

/** Reads a group's commits of a topic repeatedly: they must never go back. */
class Commits {
  readonly #log: EventLog;
  readonly #topic: string;
  #last: ReadonlyMap<number, number> = new Map();
  wentBack = false;

  constructor(log: EventLog, topicName: string) {
    this.#log = log;
    this.#topic = topicName;
  }

  of(partition: number): number {
    return this.#last.get(partition) ?? 0;
  }

  /** Reads the commits until `condition` holds. */
  until(what: string, condition: () => boolean): Promise<void> {
    return until(what, async () => {
      await this.#look();
      return condition();
    });
  }

  async #look(): Promise<void> {
    const now = await this.#log.committed(this.#topic, GROUP);
    for (const [partition, next] of this.#last) if ((now.get(partition) ?? 0) < next) this.wentBack = true;
    this.#last = now;
  }
}

/** Most records by which the load is ahead of the group. */
const AHEAD = 500;

/** Appends until `end`, never more than `AHEAD` records ahead of the finished ones. */
class Load {
  #appended = 0;
  #isOver = false;
  readonly #running: Promise<void>;

  constructor(log: EventLog, topicName: string, finished: () => number) {
    this.#running = this.#run(log, topicName, finished);
  }

  /** @returns the number of appended records */
  async end(): Promise<number> {
    this.#isOver = true;
    await this.#running;
    return this.#appended;
  }

  async #run(log: EventLog, topicName: string, finished: () => number): Promise<void> {
    while (!this.#isOver) {
      await log.append(topicName, records(50, 13, `${this.#appended}-`));
      this.#appended += 50;
      const isFar = () => this.#appended - finished() > AHEAD && !this.#isOver;
      if (isFar()) await until('the group catches up', () => !isFar());
    }
  }
}

export const groupCases: Readonly<Record<string, (t: Test, makeLog: MakeLog) => Promise<void>>> = {
  'a member that stalls is replaced, and what it finishes late is refused': async (t, makeLog) => {
    const spec = topic(2);
    const { log } = await makeLog(t, [spec], { handoverMs: HANDOVER_MS });
    const positions = await log.append(spec.name, records(60, 17));
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const batches: RecordBatch[] = [];
    let released = 0;
    const stalling = async (batch: RecordBatch): Promise<void> => {
      batches.push(batch);
      await opened;
      released++;
    };
    const one = await log.consume([spec.name], GROUP, stalling, { maxRecords: 3 });
    await until('the first member has a batch of each partition', () => batches.length === 2);
    const collector = new Collector();
    const two = await log.consume([spec.name], GROUP, collector.handler, { maxRecords: 5 });
    const commits = new Commits(log, spec.name);
    const endOf = (wanted: number) => positions.filter(({ partition }) => partition === wanted).length;
    // The second of two members has partition 1; it has both partitions while the first member counts as lost.
    await commits.until('the second member has caught up', () => commits.of(1) === endOf(1));
    open();
    await until('the stalled handlers end', () => released >= 2);
    const keyOf = (wanted: number) => `key-${positions.findIndex(({ partition }) => partition === wanted)}`;
    await log.append(spec.name, [record(keyOf(0), 'last-0'), record(keyOf(1), 'last-1')]);
    const isDone = () => [0, 1].every((partition) => commits.of(partition) === endOf(partition) + 1);
    await commits.until('all is committed', isDone);
    await Promise.all([one.stop(), two.stop()]);
    t.notOk(commits.wentBack, 'no commit of the replaced member went through');
    const late = batches[batches.findIndex(({ partition }) => partition === 1)]!.records[0]!.id;
    t.equal(collector.ids.filter((id) => id === late).length, 1, 'the new owner had its batch, once');
    const seen = new Set([
      ...collector.ids,
      ...batches.flatMap((batch) => batch.records.map(({ id }) => id)),
    ]);
    t.equal(seen.size, 62);
  },

  'members that come and go under load lose nothing and commit nothing unfinished': async (t, makeLog) => {
    const spec = topic(4);
    const { log } = await makeLog(t, [spec]);
    const finished = new Set<string>();
    const load = new Load(log, spec.name, () => finished.size);
    t.teardown(() => load.end());
    const member = () => {
      const batches: RecordBatch[] = [];
      const handler = async (batch: RecordBatch): Promise<void> => {
        batches.push(batch);
        await new Promise((resolve) => setImmediate(resolve));
        for (const { id } of batch.records) finished.add(id);
      };
      return { batches, joined: log.consume([spec.name], GROUP, handler, { maxRecords: 20 }) };
    };
    const stays = member();
    const staying = await stays.joined;
    for (let round = 0; round < 3; round++) {
      const guest = member();
      const subscription = await guest.joined;
      await until(`the guest has some in round ${round}`, () => guest.batches.length > 0);
      await subscription.stop();
      const had = guest.batches.length;
      const before = finished.size;
      await until('the others go on', () => finished.size > before);
      t.equal(guest.batches.length, had, 'nothing after stop');
      t.ok(offsetsRise(guest.batches.flatMap((batch) => batch.records)));
    }
    const appended = await load.end();
    await until('every record', () => finished.size === appended);
    await staying.stop();
    const committed = [...(await log.committed(spec.name, GROUP)).values()];
    t.equal(
      committed.reduce((sum, next) => sum + next, 0),
      appended,
      'all of it is committed',
    );
  },
};
