import { navigate as rawNavigate } from 'wouter/use-browser-location';

/** Asked before a page with unsaved changes is left; `go` continues. */
export type LeaveGuard = (go: () => void) => void;

let guard: LeaveGuard | null = null;

interface NavigateOptions {
  replace?: boolean;
  state?: unknown;
}

/** Navigates, unless a page with unsaved changes asks first. */
export function navigate(to: string | URL, options?: NavigateOptions): void {
  if (guard === null) return rawNavigate(to, options);
  guard(() => {
    guard = null;
    rawNavigate(to, options);
  });
}

/** Navigates without asking: what was entered is saved. */
export function leave(to: string, options?: NavigateOptions): void {
  guard = null;
  rawNavigate(to, options);
}

const onBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault();

/**
 * Installs a guard for links, the browser's back button and closing the tab. Returns the function that removes it.
 * Back has already happened when it is told, so the page is put back on the history first and the person asked then.
 */
export function installGuard(ask: LeaveGuard): () => void {
  const here = location.pathname + location.search;
  const state: unknown = history.state;
  const onPopState = (event: PopStateEvent): void => {
    if (guard === null) return;
    event.stopImmediatePropagation();
    history.pushState(state, '', here);
    ask(() => {
      guard = null;
      history.back();
    });
  };
  guard = ask;
  window.addEventListener('popstate', onPopState, { capture: true });
  window.addEventListener('beforeunload', onBeforeUnload);
  return () => {
    if (guard === ask) guard = null;
    window.removeEventListener('popstate', onPopState, { capture: true });
    window.removeEventListener('beforeunload', onBeforeUnload);
  };
}
