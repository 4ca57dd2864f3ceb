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

/** Runs something that ends in `leave`, unless a page with unsaved changes asks first. */
export function askFirst(run: () => void): void {
  if (guard === null) run();
  else guard(run);
}

interface Place {
  url: string;
  state: unknown;
}

/** Where the guarded page is on the history; null: nothing to guard. */
let guarded: Place | null = null;

const onBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Back has already happened when it is told, so the page is put back on the history first and the person asked then. */
function onPopState(event: PopStateEvent): void {
  const ask = guard;
  if (ask === null || guarded === null) return;
  event.stopImmediatePropagation();
  history.pushState(guarded.state, '', guarded.url);
  ask(() => {
    guard = null;
    history.back();
  });
}

// Registered when this module is read, before the router's own listener: it must hear of it first.
window.addEventListener('popstate', onPopState, { capture: true });

/** Installs a guard for links, the back button and closing the tab. Returns the function that removes it. */
export function installGuard(ask: LeaveGuard): () => void {
  guard = ask;
  guarded = { url: location.pathname + location.search, state: history.state as unknown };
  window.addEventListener('beforeunload', onBeforeUnload);
  return () => {
    if (guard === ask) guard = null;
    window.removeEventListener('beforeunload', onBeforeUnload);
  };
}
