import { Type, type Static } from 'typebox';
import { Check } from 'typebox/value';
import { ApiError } from './errors.ts';

const CONSOLE_CONFIG = '/console-config.json';

/** Configuration that the console reads from the server first. */
export const ConsoleConfigSchema = Type.Object({
  walletUrl: Type.String({ minLength: 1 }),
  apiBase: Type.String({ minLength: 1 }),
  /** Address of a transaction's page, with `{txid}`; null when the ledger has no public explorer. */
  explorerUrl: Type.Union([Type.String(), Type.Null()]),
  developmentParts: Type.Array(Type.String()),
});
export type ConsoleConfig = Static<typeof ConsoleConfigSchema>;

export async function loadConsoleConfig(signal: AbortSignal): Promise<ConsoleConfig> {
  const response = await fetch(CONSOLE_CONFIG, { signal, cache: 'no-store' }).catch(() => null);
  if (response === null) throw new ApiError('NETWORK', 0, 'no answer');
  const body: unknown = response.ok ? await response.json().catch(() => null) : null;
  if (!Check(ConsoleConfigSchema, body)) {
    throw new ApiError('UNEXPECTED_ANSWER', response.status, `${CONSOLE_CONFIG} is missing or not valid`);
  }
  return body;
}
