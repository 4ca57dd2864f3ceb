/** A file that does not exist: reports about it, as an agent makes them. */
import { createHash } from 'node:crypto';

const MICROSECONDS_PER_MS = 1_000;
/** By how many bytes a version is longer than the one before. */
const GROWTH_BYTES = 64;
const ERROR = { code: 'EACCES', message: 'permission denied' };

export class MadeFile {
  /** The kinds of alerts that are open. */
  open = new Set();
  #key;
  #count = 0;
  #last;
  #sequence = 0;
  #isMissing = false;

  /** @param {{id: string, key: string, modifiable: boolean, rolled: boolean, template: string}} file `key`: the same in each run of a seed */
  constructor({ id, key, modifiable, rolled, template }) {
    this.id = id;
    this.#key = key;
    this.modifiable = modifiable;
    this.rolled = rolled;
    this.template = template;
  }

  /** Kinds of alerts that a report about it can raise now. */
  get possible() {
    const kinds = this.modifiable
      ? ['HASH_BREACH', 'EMPTY', 'HASH_BREACH_IN_REQ', ...(this.rolled ? ['ROLLED_FILE_CHANGED'] : [])]
      : ['UNEXPECTED_CHANGE', 'EMPTY', 'HASH_BREACH_IN_REQ'];
    return kinds.filter((kind) => !this.open.has(kind));
  }

  /** @param {number} now milliseconds, as of all reports here */
  first(now) {
    this.#last = this.#next();
    return [this.#report(now, 'FIRST', [this.#last])];
  }

  /** What happens to a file on a usual day. */
  usual(now, random) {
    const back = this.#back(now);
    if (!this.modifiable) return [...back, this.#report(now, 'UNCHANGED', [this.#last])];
    const [before, after] = [this.#last, this.#next()];
    this.#last = after;
    if (!this.rolled || random.chance(0.8)) return [...back, this.#report(now, 'APPENDED', [before, after])];
    const archives = [{ name: `${this.#key.split('/').at(-1)}.1`, ...before }];
    return [...back, { ...this.#report(now, 'ROLLED', [before, after]), archives }];
  }

  /** The agent could not read it. */
  failed(now) {
    return [{ ...this.#report(now, 'ERROR', []), error: ERROR }];
  }

  /**
   * Reports of which the last raises an alert of `kind`, one of `possible`.
   * @param content what the change made of it, so that many files change to the same; absent: something of its own
   */
  deviating(kind, now, content) {
    this.open.add(kind);
    const back = this.#back(now);
    return [...back, this.#deviation(kind, now, content)];
  }

  #deviation(kind, now, content) {
    const before = this.#last;
    if (kind === 'EMPTY') {
      this.#isMissing = true;
      return this.#report(now, 'MISSING', []);
    }
    if (kind === 'HASH_BREACH_IN_REQ') {
      const longer = this.#next();
      return this.#report(now, 'APPENDED', [longer, before]);
    }
    const after = content === undefined ? this.#next() : { length: before.length, hash: digest(content) };
    this.#last = after;
    if (kind === 'ROLLED_FILE_CHANGED') return this.#report(now, 'ARCHIVE_CHANGED', [before, after]);
    const seen =
      kind === 'HASH_BREACH' ? { length: before.length, hash: digest(`${before.hash} rewritten`) } : before;
    return this.#report(now, 'REPLACED', [seen, after]);
  }

  /** A file that was missing is there again before anything else is said of it. */
  #back(now) {
    if (!this.#isMissing) return [];
    this.#isMissing = false;
    return [this.#report(now, 'UNCHANGED', [this.#last])];
  }

  #next() {
    this.#count += 1;
    return {
      length: (this.#last?.length ?? 1_024) + GROWTH_BYTES,
      hash: digest(`${this.#key} ${this.#count}`),
    };
  }

  #report(now, change, versions) {
    this.#sequence = Math.max(this.#sequence + 1, Math.floor(now) * MICROSECONDS_PER_MS);
    const timestamp = new Date(now).toISOString();
    return { fileId: this.id, sequence: this.#sequence, timestamp, change, versions };
  }
}

const digest = (text) => createHash('sha256').update(text).digest('hex');
