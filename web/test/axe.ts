import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

export type Results = Awaited<ReturnType<AxeBuilder['analyze']>>;

/**
 * Analyses the page, or a part of it, with axe. The analysis runs in the page alone ("legacy mode"): the other mode opens a window for each
 * analysis, only to check frames of other origins, and the console has no frames. axe describes each element of the two kinds of results
 * that tests read, and one of each other kind.
 */
export const analysed = (page: Page, part = 'html'): Promise<Results> =>
  new AxeBuilder({ page })
    .include(part)
    .options({ resultTypes: ['violations', 'incomplete'] })
    .setLegacyMode()
    .analyze();

/** The rules of axe that the page breaks. */
export async function violationsOf(page: Page): Promise<Results['violations']> {
  return (await analysed(page)).violations;
}
