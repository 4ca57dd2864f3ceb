/** Decides which addresses the server may connect to for a URL from a customer (OWASP: SSRF). */
import { isIP, type BlockList } from 'node:net';
import { blockListOf } from '../config/address-ranges.ts';

/** IANA IPv4 Special-Purpose Address Registry, multicast, and the address of the host of Azure's machines. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/**
 * Global unicast is 2000::/3 (RFC 4291). All other addresses are refused, among them loopback, unique-local,
 * link-local, multicast, IPv4-mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96, 64:ff9b:1::/48).
 */
const GLOBAL_V6 = ['2000::/3'];
/**
 * Special ranges in `GLOBAL_V6`: IETF protocols with Teredo, documentation, and 6to4, which reaches any IPv4 address.
 */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

/**
 * Addresses in private ranges from which clouds serve the credentials of a machine (Alibaba; AWS, Google and Oracle by IPv6). A range
 * does not allow them: an operator who allows a whole network does not mean them.
 */
const CREDENTIALS = ['100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'];

const credentials = blockListOf(CREDENTIALS);
const special = blockListOf([...SPECIAL_V4, ...SPECIAL_V6]);
const globalV6 = blockListOf(GLOBAL_V6);

export type AddressVerdict = 'public' | 'allowed' | 'refused';

/** Rules for addresses from a name's resolution or from a URL. */
export class AddressRules {
  readonly #allowed: BlockList;
  /** Single addresses among those that are allowed. */
  readonly #named: BlockList;

  /** @param allowed addresses and ranges in CIDR notation that may be reached although they are not public */
  constructor(allowed: readonly string[]) {
    this.#allowed = blockListOf(allowed);
    this.#named = blockListOf(allowed.filter(isSingle));
  }

  /**
   * Returns `allowed` for an address that only the operator's ranges allow; `refused` also for a text that is no
   * address.
   */
  check(address: string): AddressVerdict {
    const version = isIP(address);
    // A zone (fe80::1%eth0) names an interface of this machine.
    if (version === 0 || address.includes('%')) return 'refused';
    const family = version === 4 ? 'ipv4' : 'ipv6';
    const isSpecial = special.check(address, family) || (version === 6 && !globalV6.check(address, family));
    if (!isSpecial) return 'public';
    const allowed = credentials.check(address, family) ? this.#named : this.#allowed;
    return allowed.check(address, family) ? 'allowed' : 'refused';
  }
}

/** Returns whether a range is one address. */
function isSingle(range: string): boolean {
  const [address = '', bits] = range.split('/');
  return bits === undefined || Number(bits) === (isIP(address) === 6 ? 128 : 32);
}
