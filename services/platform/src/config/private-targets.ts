import { PRIVATE_RANGES } from './address-ranges.ts';
import { isAddressRange, type Parser } from './parsers.ts';

/**
 * Accepts `no`, `yes`, or ranges, and returns the allowed ranges. Link-local addresses are not among those of `yes`: clouds
 * serve the machine's credentials there, and no webhook receiver is there. An operator who needs such an address names it.
 */
export const privateTargets: Parser<readonly string[]> = (text) => {
  if (text === 'no') return { value: [] };
  if (text === 'yes') return { value: PRIVATE_RANGES };
  const ranges = text.split(',').map((range) => range.trim());
  return ranges.every(isAddressRange)
    ? { value: ranges }
    : { problem: 'give no, yes, or addresses or ranges (10.1.0.0/16) with commas between' };
};
