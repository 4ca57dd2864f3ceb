/** Calls `listener` when the network is back, or the person returns to the page. Returns the function that ends this. */
export function onReturn(listener: () => void): () => void {
  const onVisible = (): void => {
    if (document.visibilityState === 'visible') listener();
  };
  window.addEventListener('online', listener);
  window.addEventListener('pageshow', listener);
  document.addEventListener('visibilitychange', onVisible);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('pageshow', listener);
    document.removeEventListener('visibilitychange', onVisible);
  };
}

/** Returns whether nobody sees the page: another tab is in front of it, or its window is covered or minimized. */
export const isHidden = (): boolean => document.visibilityState === 'hidden';

/** Calls `listener` when the page is not seen any more. Returns the function that ends this. */
export function onHidden(listener: () => void): () => void {
  const onChange = (): void => {
    if (isHidden()) listener();
  };
  document.addEventListener('visibilitychange', onChange);
  return () => document.removeEventListener('visibilitychange', onChange);
}
