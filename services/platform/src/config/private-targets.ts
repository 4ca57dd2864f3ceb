import { isAddressRange, type Parser } from './parsers.ts';

/**
 * RFC 1918, RFC 6598, RFC 4193 and loopback. Link-local addresses are left out: clouds serve the machine's credentials
 * there, and no webhook receiver is there. An operator who needs such an address names it.
 */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
];

/** Accepts `no`, `yes`, or ranges, and returns the allowed ranges. */
export const privateTargets: Parser<readonly string[]> = (text) => {
  if (text === 'no') return { value: [] };
  if (text === 'yes') return { value: PRIVATE };
  const ranges = text.split(',').map((range) => range.trim());
  return ranges.every(isAddressRange)
    ? { value: ranges }
    : { problem: 'give no, yes, or addresses or ranges (10.1.0.0/16) with commas between' };
};
