/**
 * Returns `failed` of a subscription and the function that rejects it. A rejection without a listener is not an
 * unhandled rejection.
 */
export function failureSignal(): {
  readonly failed: Promise<never>;
  readonly fail: (error: unknown) => void;
} {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => (fail = reject));
  failed.catch(() => undefined);
  return { failed, fail };
}
