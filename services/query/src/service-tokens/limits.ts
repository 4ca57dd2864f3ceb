export const SERVICE_TOKEN_LIMITS = {
  /** The last use is stored at most this often for each token and process, in milliseconds. */
  useEveryMs: 60_000,
  /** Tokens whose last use is remembered for that. */
  tokensRemembered: 10_000,
} as const;
