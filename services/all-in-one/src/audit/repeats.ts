import { createHash } from 'node:crypto';
import {
  encodeChainRecord,
  isParkingRecord,
  TOPICS,
  type ChainRecord,
  type ParkingRecord,
} from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import type { Findings } from './finding.ts';
import { readChain } from './read-body.ts';

/**
 * Most compared second deliveries of a partition. A restart repeats a batch at most, so only a forger needs
 * more.
 */
const COMPARED = 1_000_000;

interface Repeat {
  readonly offset: number;
  readonly digest: string;
}

/**
 * Collects and compares second deliveries of chain records: readers skip them, so each must say what the
 * first delivery said. Few records are delivered twice, so the first deliveries are read again instead of
 * being kept in memory.
 */
export class Repeats {
  readonly #partition: number;
  /** Repeats by key and revision. @boundedBy COMPARED */
  readonly #repeats = new Map<string, Repeat[]>();
  #count = 0;
  #last = 0;

  constructor(partition: number) {
    this.#partition = partition;
  }

  add(key: string, record: ChainRecord | ParkingRecord, offset: number): void {
    this.#count += 1;
    if (this.#count > COMPARED) return;
    const which = `${key} ${record.rev}`;
    const repeat = { offset, digest: digestOf(record) };
    this.#repeats.set(which, [...(this.#repeats.get(which) ?? []), repeat]);
    this.#last = offset;
  }

  /** Compares the second deliveries with the first ones. */
  async compare(eventLog: EventLog, findings: Findings): Promise<void> {
    if (this.#count > COMPARED)
      findings.add(
        'chains',
        `partition ${this.#partition}: ${this.#count} records are delivered again; ${COMPARED} of them were compared`,
      );
    if (this.#repeats.size === 0) return;
    const seen = new Set<string>();
    for await (const { records } of eventLog.read(TOPICS.chain, this.#partition, 0, this.#last)) {
      for (const { key, body } of records) {
        const record = readChain(body);
        const which = `${key} ${record?.rev}`;
        const repeats = this.#repeats.get(which);
        if (record === undefined || repeats === undefined || seen.has(which)) continue;
        seen.add(which);
        const first = digestOf(record);
        for (const { offset } of repeats.filter(({ digest }) => digest !== first))
          findings.add(
            'chains',
            `${key}: the record at ${this.#partition}/${offset} repeats revision ${record.rev} with other contents`,
          );
      }
    }
  }
}

/**
 * Returns a digest of the contents, independent of the encoding. A record that the compact encoding cannot
 * hold is hashed as JSON.
 */
function digestOf(record: ChainRecord | ParkingRecord): string {
  const body = isParkingRecord(record) ? JSON.stringify(record) : encodedOf(record);
  return createHash('sha256').update(body).digest('base64');
}

function encodedOf(record: ChainRecord): Uint8Array | string {
  try {
    return encodeChainRecord(record);
  } catch {
    return JSON.stringify(record);
  }
}
