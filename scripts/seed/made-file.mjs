/** Reports about a file that does not exist, as an agent makes them. */
import { createHash } from 'node:crypto';

const MICROSECONDS_PER_MS = 1_000;
/** Bytes by which a version is longer than the version before. */
const GROWTH_BYTES = 64;
const ERROR = { code: 'EACCES', message: 'permission denied' };

export class MadeFile {
  /** Types of the open alerts. */
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

  /** Types of alerts that a report about the file can raise now. */
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

  /** Returns the reports of an ordinary change. */
  usual(now, random) {
    const back = this.#back(now);
    if (!this.modifiable) return [...back, this.#report(now, 'UNCHANGED', [this.#last])];
    const [before, after] = [this.#last, this.#next()];
    this.#last = after;
    if (!this.rolled || random.chance(0.8)) return [...back, this.#report(now, 'APPENDED', [before, after])];
    const archives = [{ name: `${this.#key.split('/').at(-1)}.1`, ...before }];
    return [...back, { ...this.#report(now, 'ROLLED', [before, after]), archives }];
  }

  /** Returns the report of an agent that could not read the file. */
  failed(now) {
    return [{ ...this.#report(now, 'ERROR', []), error: ERROR }];
  }

  /**
   * Returns reports of which the last raises an alert of `kind`, one of `possible`.
   * @param content new content, so that many files can change to the same content; absent for a content of its own
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

  /** Reports first that a missing file is there again. */
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
