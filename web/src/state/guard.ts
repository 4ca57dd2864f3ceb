import { getDefaultStore } from 'jotai';
import { navigate as rawNavigate } from 'wouter/use-browser-location';
import { notify, type NoticeText } from './notices.ts';
import { sessionAtom } from './session.ts';

/** Called before leaving a page with unsaved changes; `go` continues. */
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

/** Navigates without asking, because the changes are saved. */
export function navigateUnguarded(to: string, options?: NavigateOptions): void {
  guard = null;
  rawNavigate(to, options);
}

/**
 * Leaves a form after its answer. Only says what came of it when the person has left the form meanwhile: they may be in
 * another one. Nothing when the session ended meanwhile: they return to the form.
 */
export function leaveForm(isShown: boolean, to: string, state: unknown, notice: NoticeText): void {
  if (!isShown) tellElsewhere(notice);
  else if (isSignedIn()) navigateUnguarded(to, { state });
}

/** Says what came of a form that the person has left. */
export function tellElsewhere(notice: NoticeText): void {
  if (isSignedIn()) notify(notice);
}

const isSignedIn = (): boolean => getDefaultStore().get(sessionAtom).status !== 'out';

/** Ends the guard without asking, because the session has ended: nobody can answer any more. */
export function dropGuard(): void {
  guard = null;
}

/** Runs a function that ends in `navigateUnguarded`, unless a page with unsaved changes asks first. */
export function guardNavigation(run: () => void): void {
  if (guard === null) run();
  else guard(run);
}

interface Place {
  url: string;
  state: unknown;
}

/** Address and state of the guarded page in the history; null without a guard. */
let guarded: Place | null = null;

const onBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Handles Back: the browser has already gone back, so this restores the page in the history, then asks the person. */
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

// Register at import, before the router's listener, so that this listener runs first.
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
