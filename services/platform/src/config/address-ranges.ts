/** Ranges of IP addresses in CIDR notation. */
import { BlockList, isIP } from 'node:net';
import { isAddressRange, type Parser } from './parsers.ts';

/** RFC 1918, RFC 6598, RFC 4193 and loopback. Link-local addresses are left out. */
export const PRIVATE_RANGES = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
] as const;
const LINK_LOCAL_RANGES = ['169.254.0.0/16', 'fe80::/10'] as const;

/** @param ranges as `isAddressRange` accepts them */
export function blockListOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
  }
  return list;
}

/** Accepts addresses, ranges, and `private` for the networks of an operator; returns the ranges. */
export const networkList: Parser<readonly string[]> = (text) => {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.every((entry) => entry === 'private' || isAddressRange(entry))
    ? {
        value: entries.flatMap((entry) =>
          entry === 'private' ? [...PRIVATE_RANGES, ...LINK_LOCAL_RANGES] : entry,
        ),
      }
    : { problem: 'give private, or addresses or ranges (10.1.0.0/16), with commas between' };
};
