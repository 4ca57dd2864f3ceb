export const BODY_LIMITS = {
  /** Bytes of the bodies of people's calls that are being read, parsed or processed. */
  bytes: 64 * 1_048_576,
  /** Bytes of one person, or of one address without a person. */
  bytesPerMember: 8 * 1_048_576,
} as const;

export type BodyLimits = Readonly<Record<keyof typeof BODY_LIMITS, number>>;
