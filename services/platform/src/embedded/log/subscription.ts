import type { Subscription } from '../../ports/event-log.ts';

/** `failed` with the switch to reject it. Nobody has to listen: an unheard failure is no unhandled rejection. */
export function failure(): { readonly failed: Promise<never>; readonly fail: (error: unknown) => void } {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => (fail = reject));
  failed.catch(() => undefined);
  return { failed, fail };
}

export type { Subscription };
