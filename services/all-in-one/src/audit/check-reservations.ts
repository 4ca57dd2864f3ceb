import type { OrganizationEntity, RegistryRecord } from '@sentinel-node/contracts';
import {
  CLOCK_COLLECTION,
  heardBy,
  readClockAhead,
  systemTimers,
  type Clock,
  type ClockAhead,
  type DocumentStore,
} from '@sentinel-node/platform';
import {
  heldReservations,
  organizationOf,
  RESERVATIONS_COLLECTION,
  type HeldReservation,
  type Reservation,
} from '@sentinel-node/query';
import { CLOCKS_APART_MS } from '../operator/clocks-apart.ts';
import type { Findings } from './finding.ts';
import { formFault, type Members } from './form-fault.ts';
import { AGAIN_MS, type Patience } from './wait-past.ts';

const MEMBERS: Members<Reservation> = {
  ...{ id: true, rev: true, orgId: true, userId: true, at: true, released: true },
};

/** Reservations read at once. */
const CHUNK = 200;

interface Deps {
  readonly store: DocumentStore;
  readonly findings: Findings;
  readonly clock: Clock;
  readonly patience: Pick<Patience, 'isLive' | 'looks'>;
}

/**
 * Compares who has a name, an address or a wallet identity by the reservations with who has it by the registry: by a reservation
 * a person is found who signs in, and an address is refused to others.
 */
export class ReservationChecks {
  readonly #deps: Deps;
  /** The newest state of each organisation. @boundedBy the number of organisations and users */
  readonly #organizations = new Map<
    string,
    { readonly version: number; readonly entity: OrganizationEntity }
  >();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Takes a record of the registry. */
  registered({ entity, version }: Pick<RegistryRecord, 'entity' | 'version'>): void {
    if (entity.kind !== 'ORGANIZATION') return;
    const before = this.#organizations.get(entity.id);
    if (before === undefined || before.version < version)
      this.#organizations.set(entity.id, { version, entity });
  }

  /** Compares when the whole registry was taken. @returns the number of compared reservations */
  async end(): Promise<number> {
    const { findings, store } = this.#deps;
    await store.ensure([RESERVATIONS_COLLECTION, CLOCK_COLLECTION]);
    const held = [...this.#organizations.values()].flatMap(({ entity }) => this.#heldBy(entity));
    for (let at = 0; at < held.length; at += CHUNK) {
      const wrong = await this.#faultsOf(held.slice(at, at + CHUNK));
      for (const [{ id, owner }, what] of await this.#still(wrong))
        findings.add('reservations', `${id}, ${wordsOf(owner)}: ${what}`);
    }
    return held.length + (await this.#checkOthers(new Set(held.map(({ id }) => id))));
  }

  #heldBy(organization: OrganizationEntity): HeldReservation[] {
    return heldReservations(organization, this.#deps.clock.now());
  }

  async #faultsOf(held: readonly HeldReservation[]): Promise<Map<HeldReservation, string>> {
    const found = await this.#deps.store.getMany(
      RESERVATIONS_COLLECTION.name,
      held.map(({ id }) => id),
    );
    const stored = new Map(found.map((reservation) => [reservation.id, reservation]));
    const faults = new Map<HeldReservation, string>();
    for (const one of held) {
      const what = faultOf(one, stored.get(one.id));
      if (what !== undefined) faults.set(one, what);
    }
    return faults;
  }

  /** Returns what is wrong still: a running system may have changed who has something since the registry was read. */
  async #still(wrong: Map<HeldReservation, string>): Promise<Map<HeldReservation, string>> {
    const { patience, store } = this.#deps;
    let left = wrong;
    for (let look = 1; left.size > 0 && look < patience.looks; look++) {
      await systemTimers.delay(AGAIN_MS);
      const again: HeldReservation[] = [];
      for (const one of left.keys()) {
        const now = await organizationOf({ store }, one.owner.orgId);
        if (now !== undefined && this.#heldBy(now).some((other) => isSame(one, other))) again.push(one);
      }
      left = await this.#faultsOf(again);
    }
    return left;
  }

  /**
   * Looks at the form of all reservations, and at those that nobody holds: commands leave some behind, and others may take these. One
   * of a time to come would be kept from everybody until then.
   * @returns the number of those that nobody holds
   */
  async #checkOthers(held: ReadonlySet<string>): Promise<number> {
    const { clock, findings, store } = this.#deps;
    const ahead: ClockAhead | undefined = await readClockAhead(store);
    let others = 0;
    for await (const page of store.scan(RESERVATIONS_COLLECTION.name))
      for (const reservation of page) {
        const { at, id, released } = reservation;
        const fault = reservationFault(reservation);
        if (fault !== undefined) findings.add('reservations', `${id}: ${fault}`);
        if (held.has(id)) continue;
        others += 1;
        if (!released && heardBy(at, ahead) > clock.now() + CLOCKS_APART_MS)
          findings.add('reservations', `${id}: nobody has it by the log, and its time has not come yet`);
      }
    return others;
  }
}

function reservationFault(reservation: Reservation): string | undefined {
  const { at, id, orgId, released, userId } = reservation;
  const isName = id.startsWith('name:');
  if (!isName && !/^(email|wallet):/.test(id)) return 'it is of no name, address or wallet identity';
  const isOwned = typeof orgId === 'string' && (isName ? userId === null : typeof userId === 'string');
  if (!isOwned || typeof released !== 'boolean') return 'it is not in the form of a reservation';
  return at === undefined ? 'it has no time' : formFault(reservation, MEMBERS);
}

function faultOf({ owner }: HeldReservation, stored: Reservation | undefined): string | undefined {
  if (stored === undefined) return 'is not reserved';
  if (stored.orgId !== owner.orgId || stored.userId !== owner.userId)
    return `is reserved for another, ${wordsOf(stored)}`;
  return stored.released ? 'is released' : undefined;
}

const wordsOf = ({ orgId, userId }: HeldReservation['owner']): string =>
  userId === null ? `of organization ${orgId}` : `of user ${userId} of organization ${orgId}`;

const isSame = (one: HeldReservation, other: HeldReservation): boolean =>
  one.id === other.id && one.owner.userId === other.owner.userId;
