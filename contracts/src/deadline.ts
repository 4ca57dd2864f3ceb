/**
 * Returns a signal that aborts with `signal`, or with a TimeoutError after `ms`; for Node.js. In place of
 * `AbortSignal.any([…, AbortSignal.timeout(ms)])`: in Node.js 20 nothing but that signal holds the time-out, weakly, so a
 * garbage collection during the call removes the time-out, and a call without an answer then never ends.
 */
export function abortedAfter(ms: number, signal?: AbortSignal): AbortSignal {
  const late = new AbortController();
  const end = (): void =>
    late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  setTimeout(end, ms).unref();
  return signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
}
