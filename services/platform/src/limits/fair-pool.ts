import { OverloadedError } from '../ports/errors.ts';

export interface FairPoolOptions {
  /** Unit for error messages, such as `bytes of request bodies`. */
  readonly unit: string;
  /** Limit of all members together. */
  readonly whole: number;
  /** Limit of one member of a group (a device, a person). */
  readonly perMember: number;
}

interface Usage {
  used: number;
  /** Number of holdings of this group; a group without holdings is forgotten. */
  holdings: number;
}

/**
 * An amount that many share. A group (an organisation, an address) takes nothing more once it holds as much as is free:
 * the first greedy group leaves half, the next leaves half of that, so that a newcomer always finds room. The rule is
 * that of dynamic thresholds for shared switch buffers, factor 1 (Choudhury and Hahne, IEEE/ACM ToN 6(2), 1998).
 * @poolKind
 */
export class FairPool {
  readonly #options: FairPoolOptions;
  readonly #groups = new Map<string, Usage>();
  readonly #members = new Map<string, Usage>();
  #used = 0;

  constructor(options: FairPoolOptions) {
    this.#options = options;
  }

  get used(): number {
    return this.#used;
  }

  /** Number of groups that hold, or are about to hold, a share. */
  get groups(): number {
    return this.#groups.size;
  }

  /** Returns the groups that hold most, with their amount, the largest first. */
  largest(count: number): [group: string, used: number][] {
    const all = [...this.#groups].map(([group, { used }]): [string, number] => [group, used]);
    return all.sort((a, b) => b[1] - a[1]).slice(0, count);
  }

  /** @param member unique over all groups */
  hold(group: string, member: string): Holding {
    const usages = [countIn(this.#groups, group), countIn(this.#members, member)] as const;
    let held = 0;
    let released = false;
    return {
      get held() {
        return held;
      },
      take: (amount) => {
        this.#take(amount, ...usages);
        held += amount;
      },
      release: () => {
        if (released) return;
        released = true;
        this.#used -= held;
        giveBack(this.#groups, group, usages[0], held);
        giveBack(this.#members, member, usages[1], held);
      },
    };
  }

  #take(amount: number, group: Usage, member: Usage): void {
    const { unit, whole, perMember } = this.#options;
    const free = whole - this.#used - amount;
    if (free < 0) throw new OverloadedError(`more than ${whole} ${unit}`);
    if (group.used + amount > free) throw new OverloadedError(`one group holds more ${unit} than are free`);
    if (member.used + amount > perMember)
      throw new OverloadedError(`one member holds more than ${perMember} ${unit}`);
    this.#used += amount;
    group.used += amount;
    member.used += amount;
  }
}

/** The share of a pool that one request holds. */
export interface Holding {
  /** The amount that was taken. */
  readonly held: number;
  /** Takes an amount. @throws OverloadedError */
  take(amount: number): void;
  /** Releases everything. Idempotent; no `take` may follow. */
  release(): void;
}

function countIn(usages: Map<string, Usage>, key: string): Usage {
  const known = usages.get(key);
  const usage = known ?? { used: 0, holdings: 0 };
  if (known === undefined) usages.set(key, usage);
  usage.holdings += 1;
  return usage;
}

function giveBack(usages: Map<string, Usage>, key: string, usage: Usage, amount: number): void {
  usage.used -= amount;
  usage.holdings -= 1;
  if (usage.holdings === 0) usages.delete(key);
}
