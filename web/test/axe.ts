import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

type Violations = Awaited<ReturnType<AxeBuilder['analyze']>>['violations'];

/**
 * Returns the rules of axe that the page breaks. The analysis runs in the page alone ("legacy mode"): the other mode opens a
 * window for each analysis, only to check frames of other origins, and the console has no frames.
 */
export async function violationsOf(page: Page): Promise<Violations> {
  return (await new AxeBuilder({ page }).setLegacyMode().analyze()).violations;
}
