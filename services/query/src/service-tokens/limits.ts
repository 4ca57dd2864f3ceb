export const SERVICE_TOKEN_LIMITS = {
  /** Each process stores the last use of a token at most this often, in milliseconds. */
  useEveryMs: 60_000,
  /** Tokens whose last stored use a process remembers. */
  tokensRemembered: 10_000,
} as const;
