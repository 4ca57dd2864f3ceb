import { getDefaultStore, useAtom } from 'jotai';
import { lazy, Suspense, useEffect, type ComponentType } from 'react';
import { keyName, NOTHING_PENDING, nextKeyState } from '../keys/keys.ts';
import { singleKeysAtom } from '../keys/single-keys.ts';
import { allShortcuts, isSingleKey, type Shortcut } from '../keys/table.ts';
import { navigate } from '../state/guard.ts';
import { isAdminAtom } from '../state/session.ts';
import { Modal } from '../ui/Modal.tsx';
import { PartMissing } from '../ui/PartMissing.tsx';
import { openOverlay, overlayAtom } from './overlay.ts';
import { controlOf, isTypedIn, scopeOf, searchOf } from './places.ts';
import { movePanel, moveRow, selectRow } from './rows.ts';

interface OverlayProps {
  orgId: string;
  onClose: () => void;
}

const missing = (): { default: ComponentType<OverlayProps> } => ({ default: OverlayMissing });
const HelpDialog = lazy(() =>
  import('./HelpDialog.tsx').then(
    (module): { default: ComponentType<OverlayProps> } => ({ default: module.HelpDialog }),
    missing,
  ),
);
const Palette = lazy(() =>
  import('./Palette.tsx').then(
    (module): { default: ComponentType<OverlayProps> } => ({ default: module.Palette }),
    missing,
  ),
);

function OverlayMissing({ onClose }: OverlayProps) {
  return (
    <Modal title="Keyboard" onClose={onClose}>
      <PartMissing />
    </Modal>
  );
}

/** Listens for shortcuts while a member is signed in, and shows the overlays they open. */
export function Shortcuts({ orgId }: { orgId: string }) {
  const [overlay, setOverlay] = useAtom(overlayAtom);
  useEffect(() => {
    let pending = NOTHING_PENDING;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return;
      if (isEmptiedSearch(event)) return leaveSearch();
      if (isFinishedSearch(event)) {
        event.preventDefault();
        leaveSearch();
        return moveRow(1);
      }
      const scope = scopeOf(event.target);
      const key = keyName(event);
      if (scope === null || key === null) return;
      const usable = usableShortcuts(isTypedIn(event.target));
      const step = nextKeyState(pending, key, event.timeStamp, usable);
      pending = step.pending;
      if (step.shortcut === null || (event.repeat && !REPEATED.has(step.shortcut.id))) return;
      event.preventDefault();
      run(step.shortcut, scope);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
  const close = (): void => setOverlay(null);
  return (
    <Suspense fallback={null}>
      {overlay === 'help' && <HelpDialog orgId={orgId} onClose={close} />}
      {overlay === 'palette' && <Palette orgId={orgId} onClose={close} />}
    </Suspense>
  );
}

/** Shortcuts that repeat while the key is held down. */
const REPEATED: ReadonlySet<string> = new Set(['next', 'previous']);

function usableShortcuts(isTyping: boolean): readonly Shortcut[] {
  const store = getDefaultStore();
  const isAdmin = store.get(isAdminAtom);
  const withSingle = !isTyping && store.get(singleKeysAtom) === 'on';
  return allShortcuts.filter(
    (shortcut) =>
      shortcut.native !== true &&
      (isAdmin || shortcut.admin !== true) &&
      (withSingle || !isSingleKey(shortcut)),
  );
}

function run({ id, to }: Shortcut, scope: Element): void {
  const isPanel = scope !== document.body;
  if (to !== undefined) return navigate(to);
  switch (id) {
    case 'help':
    case 'palette':
      return openOverlay(id);
    case 'next':
      return isPanel ? movePanel(1) : moveRow(1);
    case 'previous':
      return isPanel ? movePanel(-1) : moveRow(-1);
    case 'select':
    case 'range':
      return isPanel ? undefined : selectRow(id === 'range');
    case 'search':
      return focusSearch(scope);
    default:
      return controlOf(scope, id)?.click();
  }
}

function focusSearch(scope: Element): void {
  const field = searchOf(scope);
  field?.focus();
  field?.select();
}

const isSearch = (target: EventTarget | null): target is HTMLInputElement =>
  target instanceof HTMLInputElement && target.type === 'search';

/**
 * Returns whether Escape was pressed in an empty search, which leaves the search; before, the browser clears the
 * text.
 */
const isEmptiedSearch = ({ key, target }: KeyboardEvent): boolean =>
  key === 'Escape' && isSearch(target) && target.value === '';

/** Returns whether Enter or arrow down was pressed in a search, which moves to the results. */
const isFinishedSearch = ({ key, target }: KeyboardEvent): boolean =>
  (key === 'Enter' || key === 'ArrowDown') && isSearch(target);

function leaveSearch(): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}
