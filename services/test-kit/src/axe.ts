import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

export type Results = Pick<AxeResults, 'violations' | 'incomplete'>;

export interface Analysis {
  /** Default: all that axe knows. */
  rules?: string[];
  /** The document was analysed before: axe is in it. */
  again?: boolean;
}

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Analyses the page with axe, in the page itself: axe's binding for Playwright makes five calls to the page and takes all results out of
 * it, only for frames, of which the console has none. axe describes each element of the two kinds of results that tests read.
 * @throws Error when axe does
 */
export async function analysed(page: Page, { rules, again = false }: Analysis = {}): Promise<Results> {
  if (!again) await page.evaluate(SOURCE);
  return JSON.parse(await page.evaluate(results, rules)) as Results;
}

/** Runs in the page. @returns `Results` as JSON */
async function results(rules: string[] | undefined): Promise<string> {
  const { axe } = globalThis as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } };
  const { violations, incomplete } = await axe.run({
    resultTypes: ['violations', 'incomplete'],
    ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
  });
  return JSON.stringify({ violations, incomplete });
}

/** The rules of axe that the page breaks. */
export async function violationsOf(page: Page): Promise<Results['violations']> {
  return (await analysed(page)).violations;
}
