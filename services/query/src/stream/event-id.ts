/** Ids of frames: the feed's epoch, and the offset up to which everything was sent. */
export interface EventId {
  readonly epoch: string;
  readonly offset: number;
}

export const formatEventId = ({ epoch, offset }: EventId): string => `${epoch}:${offset}`;

/** Returns undefined for a text that `formatEventId` cannot make. */
export function parseEventId(text: string): EventId | undefined {
  const match = /^(.*):(-1|\d{1,15})$/.exec(text);
  return match === null ? undefined : { epoch: match[1]!, offset: Number(match[2]) };
}
