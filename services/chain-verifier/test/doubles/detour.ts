import {
  type ChainRecord,
  type DeadLetter,
  isParkingRecord,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import type { LogRecord } from '@sentinel-node/platform';
import { replayRecordOf } from '../../src/index.ts';
import type { Told } from './arbitraries.ts';
import { MemoryLog } from './memory-ports.ts';
import { PARTITIONS, PlainVerifier, writeHistory } from './world.ts';

const RIDDLE = '{"kind":"riddle"}';
/** More than any history has letters. */
const LAST_ROUNDS = 500;

/**
 * The history with poison in between, an operator who replays or skips now and then, replays that come twice or out of
 * turn; in the end nothing is parked.
 */
export function detourOf(told: readonly Told[], choices: Iterator<number>): MemoryLog {
  const log = new MemoryLog(PARTITIONS);
  const verifier = new PlainVerifier();
  const put = (record: LogRecord): void => {
    const { partition, offset } = log.put(record);
    verifier.take(log.partitions[partition]![offset]!);
  };
  const choose = (one: number): number => (choices.next().value as number) % one;
  const operator = new Operator(verifier, put);
  for (const record of writeHistory(told)) {
    if (choose(8) === 0)
      put({ key: record.key, id: `poison-${record.id}`, body: new TextEncoder().encode(RIDDLE) });
    put(record);
    if (choose(6) === 0) operator.replayNext(record.key);
    if (choose(12) === 0) operator.replayAny(record.key, choose);
  }
  for (let round = 0; operator.isNeeded(); round++) {
    if (round === LAST_ROUNDS) throw new Error('a file stays parked whatever the operator does');
    operator.replayAll();
  }
  return log;
}

class Operator {
  readonly #verifier: PlainVerifier;
  readonly #put: (record: LogRecord) => void;

  constructor(verifier: PlainVerifier, put: (record: LogRecord) => void) {
    this.#verifier = verifier;
    this.#put = put;
  }

  isNeeded(): boolean {
    return [...this.#verifier.heads.values()].some(({ parked }) => parked !== undefined);
  }

  /** The letter whose turn it is: judged if it can be, skipped if it was refused. */
  replayNext(key: string): void {
    for (const skip of [false, true]) {
      const parked = this.#verifier.heads.get(key)?.parked;
      const deadLetter = this.#deadLetters(key).find(
        ({ parking, index }) => parking === parked?.parking && index === parked.replayed,
      );
      if (deadLetter === undefined) return;
      const isPoison = Buffer.from(deadLetter.body!, 'base64').toString() === RIDDLE;
      if (skip && !isPoison) return;
      this.#put(replayRecordOf(deadLetter, skip));
    }
  }

  /** A letter that may have had its turn, or may be of a parking that is over. It skips poison only. */
  replayAny(key: string, choose: (one: number) => number): void {
    const deadLetters = this.#deadLetters(key);
    if (deadLetters.length > 0) this.#put(replayRecordOf(deadLetters[choose(deadLetters.length)]!));
  }

  replayAll(): void {
    for (const [key, { parked }] of this.#verifier.heads) if (parked !== undefined) this.replayNext(key);
  }

  #deadLetters(key: string): readonly DeadLetter[] {
    return this.#verifier.replayable.get(key) ?? [];
  }
}

/** The verdicts only, without what counts the records of the detour. */
export function withoutParking(texts: readonly string[]): object[] {
  return texts.flatMap((text) => {
    const record = JSON.parse(text) as ChainRecord | ParkingRecord;
    if (isParkingRecord(record)) return [];
    const { rev: _rev, parking: _parking, ...verdict } = record;
    return [verdict];
  });
}
