export const BODY_LIMITS = {
  /** Bodies of calls of people that are read, parsed or worked on. */
  bytes: 64 * 1_048_576,
  /** Of one person, or of one address without a person. */
  bytesPerMember: 8 * 1_048_576,
} as const;

export type BodyLimits = Readonly<Record<keyof typeof BODY_LIMITS, number>>;
