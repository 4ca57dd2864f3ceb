/**
 * Returns a signal that aborts with the first of `signals`, or with a TimeoutError after `ms`. In place of
 * `AbortSignal.any([…, AbortSignal.timeout(ms)])`: in Node.js 20 nothing but that signal holds the time-out, weakly, so a
 * garbage collection during the call removes the time-out, and a call without an answer then never ends.
 */
export function abortedAfter(ms: number, ...signals: readonly AbortSignal[]): AbortSignal {
  const late = new AbortController();
  const timer: { unref?: () => void } | number = setTimeout(
    () => late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  );
  // The time-out alone keeps no process alive, as that of the runtime.
  if (typeof timer === 'object') timer.unref?.();
  return AbortSignal.any([late.signal, ...signals]);
}
