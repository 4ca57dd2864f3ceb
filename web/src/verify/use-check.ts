import { VerifyInputError } from '@sentinel-node/contracts';
import { useCallback, useEffect, useRef, useState } from 'react';
import { usageProblem, type CheckInputs } from './inputs.ts';
import { yieldToPage, paceOf } from './pace.ts';
import type { Progress } from './read-inputs.ts';
import { runCheck, type CheckReport } from './run-check.ts';
import { loadSpendCheck } from './spend-part.ts';

export type CheckState =
  | { readonly status: 'none' }
  | { readonly status: 'running'; readonly progress: Progress | null }
  | { readonly status: 'done'; readonly report: CheckReport }
  /** An input is unusable, so nothing was checked. */
  | { readonly status: 'refused'; readonly message: string };

const NONE: CheckState = { status: 'none' };

/** Keeps the inputs and their verdict: every change of an input removes the verdict. */
export function useCheck(first: CheckInputs) {
  const [inputs, setInputs] = useState(first);
  const [state, setState] = useState<CheckState>(NONE);
  const running = useRef<AbortController | null>(null);
  const stop = useCallback(() => {
    running.current?.abort();
    running.current = null;
    setState(NONE);
  }, []);
  useEffect(() => () => running.current?.abort(), []);
  const change = useCallback(
    (next: (inputs: CheckInputs) => CheckInputs) => {
      stop();
      setInputs(next);
    },
    [stop],
  );
  const start = useCallback(() => {
    const wrong = usageProblem(inputs);
    if (wrong !== undefined) return setState({ status: 'refused', message: wrong });
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setState({ status: 'running', progress: null });
    check(inputs, controller.signal, (progress) => setState({ status: 'running', progress })).then(
      (end) => {
        if (!controller.signal.aborted) setState(end);
      },
      (error: unknown) => {
        // The person ended the check, or changed its inputs.
        if (!controller.signal.aborted) throw error;
      },
    );
  }, [inputs]);
  return { inputs, change, state, start, stop };
}

async function check(
  inputs: CheckInputs,
  signal: AbortSignal,
  show: (progress: Progress) => void,
): Promise<CheckState> {
  let latest: Progress | null = null;
  const pause = (): Promise<void> => {
    if (latest !== null) show(latest);
    return yieldToPage();
  };
  const tools = {
    pace: paceOf(signal, pause, () => performance.now()),
    spendCheck: loadSpendCheck,
    onProgress: (progress: Progress) => {
      latest = progress;
    },
  };
  try {
    return { status: 'done', report: await runCheck(inputs, tools) };
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof VerifyInputError) return { status: 'refused', message: error.message };
    return {
      status: 'refused',
      message: 'The check ended in a fault of this page. Nothing is shown; use sentinel verify instead.',
    };
  }
}
