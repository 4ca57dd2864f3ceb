import { HEADS_COLLECTION, headDocument, type Head, type HeadDocument } from '@sentinel-node/chain-verifier';
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  loadCheckpoint,
  type DocumentStore,
  type EventLog,
  type StoredRecord,
} from '@sentinel-node/platform';
import { asStored, differingFields } from './differing-fields.ts';
import { digestOf } from './digest.ts';
import type { Findings } from './finding.ts';

interface Known {
  /** Offset of the record that the head claims to end with. */
  readonly offset: number;
  readonly digest: string;
}

/**
 * Compares the heads that the verifier saved with those that the log gives: a verifier judges the next report of a file
 * from the saved one. The heads are read before the end of the log is taken, so that each is of a record before it; a
 * running verifier saves now and then, so a head must be of the last record before the checkpoint, or of a later one.
 */
export class VerifierHeadChecks {
  readonly #store: DocumentStore;
  readonly #findings: Findings;
  readonly #checkpoints: ReadonlyMap<number, number>;
  /** Heads that no record has given yet. @boundedBy the number of files */
  readonly #awaited = new Map<string, Known>();
  /** Keys whose head was given or reported. @boundedBy the number of files */
  readonly #done = new Set<string>();

  private constructor(store: DocumentStore, findings: Findings, checkpoints: ReadonlyMap<number, number>) {
    this.#store = store;
    this.#findings = findings;
    this.#checkpoints = checkpoints;
  }

  static async read(
    { eventLog, store }: { readonly eventLog: EventLog; readonly store: DocumentStore },
    findings: Findings,
  ): Promise<VerifierHeadChecks> {
    await store.ensure([HEADS_COLLECTION]);
    const checkpoints = new Map<number, number>();
    for (const { partition } of await eventLog.bounds(TOPICS.fileEvents)) {
      const place = { group: GROUPS.verifier, topic: TOPICS.fileEvents, partition };
      checkpoints.set(partition, await loadCheckpoint(store, place));
    }
    const checks = new VerifierHeadChecks(store, findings, checkpoints);
    for await (const page of store.scan(HEADS_COLLECTION.name))
      for (const document of page)
        checks.#awaited.set(document.id, { offset: document.offset, digest: digestOf(document) });
    return checks;
  }

  /** Takes the head that the log gives after a record that changed something. */
  async judged({ key, offset, partition }: StoredRecord, head: Head): Promise<void> {
    if (this.#done.has(key)) return;
    const known = this.#awaited.get(key);
    const isSaved = offset < (this.#checkpoints.get(partition) ?? 0);
    if (known === undefined) {
      if (isSaved) this.#end(key, 'missing, the log gives it');
    } else if (known.offset === offset) {
      const given = asStored(headDocument(key, head));
      this.#end(key, digestOf(given) === known.digest ? undefined : await this.#difference(given));
    } else if (known.offset < offset && isSaved)
      this.#end(
        key,
        `is not of a record of this file before offset ${offset}, which the verifier has passed`,
      );
  }

  /** @returns the number of compared heads */
  end(): number {
    const compared = this.#done.size + this.#awaited.size;
    for (const key of this.#awaited.keys()) this.#end(key, 'no record of the log gives it');
    return compared;
  }

  #end(key: string, what: string | undefined): void {
    this.#awaited.delete(key);
    this.#done.add(key);
    if (what !== undefined) this.#findings.add('heads', `${key}: ${what}`);
  }

  async #difference(given: HeadDocument): Promise<string> {
    const now = await this.#store.get(HEADS_COLLECTION.name, given.id);
    const fields = now?.offset === given.offset ? differingFields(now, given) : '';
    return `${fields === '' ? 'its fields' : fields} differ from what the log gives`;
  }
}
