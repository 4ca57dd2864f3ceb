import { lazy, type ComponentType } from 'react';
import { PartMissing } from './PartMissing.tsx';

/** Loads a page or another part on demand. In its place a missing part says so. */
export const lazyPart = <M, P>(load: () => Promise<M>, pick: (module: M) => ComponentType<P>) =>
  lazy<ComponentType<P>>(() =>
    load().then(
      (module) => ({ default: pick(module) }),
      () => ({ default: PartMissing }),
    ),
  );
