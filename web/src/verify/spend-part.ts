/** Loads the part that runs the scripts of seals: larger than the rest of the page, so it is loaded after the page. */
import { VerifyInputError, type SpendCheck } from '@sentinel-node/contracts';
import { useEffect, useState } from 'react';

let loading: Promise<SpendCheck> | null = null;

/** Loads the part once. @throws VerifyInputError when the server is away, or has another version than the open page */
export function loadSpendCheck(): Promise<SpendCheck> {
  loading ??= import('@sentinel-node/contracts/ledger-spend').then(
    ({ verifySpend }) => verifySpend,
    () => {
      loading = null;
      throw new VerifyInputError(
        'The part of this page that checks seals could not be loaded. Reload the page with a connection, or use the saved page, which has that part inside.',
      );
    },
  );
  return loading;
}

export type PartState = 'loading' | 'ready' | 'failed';

/** Loads the part before a check: a request during a check would tell the server of the check, and would fail offline. */
export function useSpendPart(): PartState {
  const [state, setState] = useState<PartState>('loading');
  useEffect(() => {
    let isLeft = false;
    const settle = (settled: PartState) => (): void => {
      if (!isLeft) setState(settled);
    };
    loadSpendCheck().then(settle('ready'), settle('failed'));
    return () => {
      isLeft = true;
    };
  }, []);
  return state;
}
