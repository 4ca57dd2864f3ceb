/** Checks the answer of name resolution, so that the socket connects to the checked address. */
import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressRules } from './address-rules.ts';
import { TargetRefusedError } from './errors.ts';

/** Returns all addresses of a name. @throws errors of node:dns */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export const systemResolve: Resolve = (host) =>
  new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });

export interface TargetCheck {
  readonly rules: AddressRules;
  readonly resolve: Resolve;
  /** Allows only addresses of the operator's ranges, because the connection is not encrypted. */
  readonly privateOnly: boolean;
}

/** @throws TargetRefusedError when the rules do not allow the address */
export function checkAddress(address: string, { rules, privateOnly }: TargetCheck): void {
  const verdict = rules.check(address);
  if (verdict === 'refused')
    throw new TargetRefusedError(`${address} is no public address, and the operator does not allow it`);
  if (verdict === 'public' && privateOnly)
    throw new TargetRefusedError(`${address} is a public address, which is reached by https only`);
}

/** Returns a `lookup` for sockets. One forbidden address refuses the whole name. */
export function guardedLookup(check: TargetCheck): LookupFunction {
  return (host, options, callback) => {
    check.resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        try {
          for (const { address } of addresses) checkAddress(address, check);
          if (first === undefined) throw new TargetRefusedError(`${host} has no address`);
        } catch (error) {
          return callback(error instanceof Error ? error : new Error(String(error)), []);
        }
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), []),
    );
  };
}

/** Checks a literal address, because sockets do not look those up. @throws TargetRefusedError */
export function checkLiteral({ hostname }: Pick<URL, 'hostname'>, check: TargetCheck): void {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0) checkAddress(host, check);
}
