/** `failed` of a subscription with the switch to reject it. Nobody has to listen: it is no unhandled rejection then. */
export function failure(): { readonly failed: Promise<never>; readonly fail: (error: unknown) => void } {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => (fail = reject));
  failed.catch(() => undefined);
  return { failed, fail };
}
