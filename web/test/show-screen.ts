/** Brings a page into a state of screens.ts. */
import type { Page } from 'playwright-core';
import type { Mock } from './mock-api.ts';
import type { Screen } from './screens.ts';
import { until } from './until.ts';

/** Does what the state needs on a page that is on its way to the state's address, and waits until nothing moves. */
export async function showScreen(page: Page, mock: Mock, screen: Screen): Promise<void> {
  await page
    .locator(screen.ready ?? 'h1')
    .first()
    .waitFor();
  await settled(page);
  await screen.act?.(page, mock);
  if (screen.shown !== undefined) await page.locator(screen.shown).first().waitFor();
  await settled(page);
}

/** Nothing is loading any more, and the chart is drawn. */
function settled(page: Page): Promise<void> {
  const isReady = (): Promise<boolean> =>
    page.evaluate(() => {
      const isLoading = document.querySelector('.skeleton, .boot .spinner') !== null;
      const chart = document.querySelector('.activity > :first-child');
      return !isLoading && (chart === null || chart.matches('figcaption, .activity-chart, [role=status]'));
    });
  return until(isReady, 'the page is loaded');
}
