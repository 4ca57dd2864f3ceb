/** The parked files of all organisations: whose records wait unjudged. Their views name no organisation, and they are very rare. */
import { SharedReads, type DocumentStore } from '@sentinel-node/platform';
import { inSteps } from '../storage/in-steps.ts';
import { VIEWS, viewsOf, type FileView } from '../views/index.ts';
import { FILES_A_STEP, PARKED_LIMITS } from './limits.ts';

/** Parked files of one organisation, deleted ones included. */
export interface ParkedOf {
  /** Ids of the files by the id of their device. */
  readonly byDevice: ReadonlyMap<string, ReadonlySet<string>>;
  /** False: more files are parked, of whichever organisations, than are looked at. */
  readonly isWhole: boolean;
}

export const NONE_PARKED: ParkedOf = { byDevice: new Map(), isWhole: true };

type Owner = Pick<FileView, 'orgId' | 'deviceId'>;

interface Kept {
  /** When the look began, in monotonic milliseconds. */
  readonly at: number;
  readonly organizations: ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;
  readonly isWhole: boolean;
}

/**
 * Reads the parked files of all organisations at once, by an index and at most once in `PARKED_LIMITS.keptMs`, so that dashboards of
 * many organisations cost one read, which mostly finds nothing.
 * @pool files-not-judged
 */
export class ParkedFiles {
  readonly #store: Pick<DocumentStore, 'find' | 'getMany'>;
  readonly #elapsed: () => number;
  readonly #limit: number;
  readonly #looks = new SharedReads<Kept>();
  /** Whose each file is, which never changes. */
  readonly #owners = new Map<string, Owner>();
  #kept: Kept | undefined;
  #forgotten = 0;

  /**
   * @param elapsed monotonic milliseconds
   * @param limit files looked at, at most `LIMITS.findDocuments`
   */
  constructor(
    store: Pick<DocumentStore, 'find' | 'getMany'>,
    elapsed: () => number = () => performance.now(),
    limit: number = PARKED_LIMITS.files,
  ) {
    this.#store = store;
    this.#elapsed = elapsed;
    this.#limit = limit;
  }

  /** Number of kept files. */
  get used(): number {
    return this.#owners.size;
  }

  /** Has the next read look again: a file was parked, or is parked no longer. */
  forget(): void {
    this.#forgotten++;
    this.#kept = undefined;
  }

  /** Returns what was known at most `PARKED_LIMITS.keptMs` ago, and since the last `forget`. */
  async of(orgId: string): Promise<ParkedOf> {
    const { organizations, isWhole } = this.#fresh() ?? (await this.#look());
    return { byDevice: organizations.get(orgId) ?? NONE_PARKED.byDevice, isWhole };
  }

  #fresh(): Kept | undefined {
    const isFresh = this.#kept !== undefined && this.#elapsed() - this.#kept.at < PARKED_LIMITS.keptMs;
    return isFresh ? this.#kept : undefined;
  }

  /** Looks once for all who ask meanwhile, and once more when something was forgotten after the look had begun. */
  #look(): Promise<Kept> {
    return this.#looks.read('', async () => this.#fresh() ?? this.#read());
  }

  async #read(): Promise<Kept> {
    const [at, forgotten] = [this.#elapsed(), this.#forgotten];
    const found = await this.#store.find(VIEWS.fileParkings, {
      where: { waiting: { gt: 0 } },
      sort: { field: 'waiting', direction: 'desc' },
      limit: this.#limit,
    });
    const ids = found.map(({ id }) => id);
    await this.#findOwners(new Set(ids));
    const kept = { at, organizations: this.#organizationsOf(ids), isWhole: found.length < this.#limit };
    if (forgotten === this.#forgotten) this.#kept = kept;
    return kept;
  }

  async #findOwners(ids: ReadonlySet<string>): Promise<void> {
    for (const id of this.#owners.keys()) if (!ids.has(id)) this.#owners.delete(id);
    const unknown = new Set([...ids].filter((id) => !this.#owners.has(id)));
    await inSteps(unknown, FILES_A_STEP, async (step) => {
      const files = await viewsOf<FileView>(this.#store, VIEWS.files, step);
      for (const { id, orgId, deviceId } of files.values()) this.#owners.set(id, { orgId, deviceId });
    });
  }

  /** Leaves out the keys of which no file is known: the next look finds a file that is not projected yet. */
  #organizationsOf(ids: readonly string[]): Kept['organizations'] {
    const organizations = new Map<string, Map<string, Set<string>>>();
    for (const id of ids) {
      const owner = this.#owners.get(id);
      if (owner === undefined) continue;
      const devices = organizations.get(owner.orgId) ?? new Map<string, Set<string>>();
      const files = devices.get(owner.deviceId) ?? new Set<string>();
      organizations.set(owner.orgId, devices.set(owner.deviceId, files.add(id)));
    }
    return organizations;
  }
}
