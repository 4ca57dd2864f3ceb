import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

export type Results = Awaited<ReturnType<AxeBuilder['analyze']>>;

export interface Analysis {
  /** Default: all that axe knows. */
  rules?: string[];
  /** The document was analysed before: axe is in it. */
  again?: boolean;
}

/** Does nothing: stands for the source of axe where the page has it. */
const NOTHING = ';';

/**
 * Analyses the page with axe. The analysis runs in the page alone ("legacy mode"): the other mode opens a window for each
 * analysis, only to check frames of other origins, and the console has no frames. axe describes each element of the two kinds of results
 * that tests read, and one of each other kind.
 */
export const analysed = (page: Page, { rules, again = false }: Analysis = {}): Promise<Results> =>
  new AxeBuilder({ page, ...(again && { axeSource: NOTHING }) })
    .options({
      resultTypes: ['violations', 'incomplete'],
      ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
    })
    .setLegacyMode()
    .analyze();

/** The rules of axe that the page breaks. */
export async function violationsOf(page: Page): Promise<Results['violations']> {
  return (await analysed(page)).violations;
}
