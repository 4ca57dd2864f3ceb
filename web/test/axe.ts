import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

export type Results = Awaited<ReturnType<AxeBuilder['analyze']>>;

export interface Analysis {
  /** Default: all that axe knows. */
  rules?: string[];
  /** The document was analysed before: axe is in it. */
  again?: boolean;
}

/** axe as `AxeBuilder` has it, without comments. */
const SOURCE = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve(
    'axe-core/axe.min.js',
  ),
  'utf8',
);
/** Does nothing: stands for the source of axe, which `AxeBuilder` would evaluate twice in each document. */
const NOTHING = ';';

/**
 * Analyses the page with axe. The analysis runs in the page alone ("legacy mode"): the other mode opens a window for each
 * analysis, only to check frames of other origins, and the console has no frames. axe describes each element of the two kinds of results
 * that tests read, and one of each other kind.
 */
export async function analysed(page: Page, { rules, again = false }: Analysis = {}): Promise<Results> {
  if (!again) await page.evaluate(SOURCE);
  return new AxeBuilder({ page, axeSource: NOTHING })
    .options({
      resultTypes: ['violations', 'incomplete'],
      ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
    })
    .setLegacyMode()
    .analyze();
}

/** The rules of axe that the page breaks. */
export async function violationsOf(page: Page): Promise<Results['violations']> {
  return (await analysed(page)).violations;
}
