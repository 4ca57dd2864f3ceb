/** Steps of a person who handles an alert of the demonstration while another person looks on. */
import { open } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import type { Test } from 'tap';
import { fact, type Visitor } from './browser-visitor.ts';

/** Replaces one byte of a file. */
export async function changeByte(path: string, position: number, value: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.write(Buffer.from(value, 'latin1'), 0, 1, position);
  } finally {
    await file.close();
  }
}

export interface Expected {
  /** The alert's name on the screen. */
  readonly alert: string;
  readonly file: string;
}

/** Changes a file and waits until the open page shows the alert. Comments on the time that this took. */
export async function seesAlert(
  t: Test,
  visitor: Visitor,
  { alert, file }: Expected,
  change: () => Promise<unknown>,
): Promise<void> {
  const { documents } = visitor;
  const notice = visitor.page.getByRole('alert').filter({ hasText: alert }).filter({ hasText: file });
  await notice.waitFor({ state: 'detached' });
  await change();
  const began = performance.now();
  await notice.waitFor();
  t.comment(
    `${alert} of ${file}: shown ${Math.round(performance.now() - began)} ms after the change (goal 2000)`,
  );
  t.equal(visitor.documents, documents, 'without a reload');
}

export interface Handling {
  readonly action: 'Dismiss' | 'Reset';
  readonly question: string;
  readonly note: string;
  readonly by: string;
  readonly status: 'Dismissed' | 'Reset';
}

/** Turns an alert off: confirmation, required note, and the panel's text afterwards. */
export async function turnOff(t: Test, visitor: Visitor, panel: Locator, handling: Handling): Promise<void> {
  const { action, question, note, by, status } = handling;
  const button = panel.getByRole('button', { name: action, exact: true });
  await button.click();
  await visitor.dialog(question).getByRole('button', { name: 'No', exact: true }).click();
  await visitor.dialog(question).waitFor({ state: 'detached' });
  await button.click();
  await visitor.dialog(question).getByRole('button', { name: 'Yes', exact: true }).click();
  const form = visitor.dialog('Please submit a note');
  const submit = form.getByRole('button', { name: 'Submit', exact: true });
  await submit.click();
  await form.getByText('Note required').waitFor();
  await form.getByLabel('Note').fill(note);
  await submit.click();
  await form.waitFor({ state: 'detached' });
  await fact(panel, `${status} by`).getByText(by, { exact: true }).waitFor();
  await fact(panel, 'Note').getByText(note, { exact: true }).waitFor();
  await panel.locator('.over').getByText(status, { exact: true }).waitFor();
  for (const name of ['Share', 'Dismiss', 'Reset']) {
    t.equal(
      await panel.getByRole('button', { name, exact: true }).count(),
      0,
      `${name} is not offered again`,
    );
  }
}

/** Returns the chain's link at which the file's history broke. */
export const brokenLink = (panel: Locator, type: 'BREAK' | 'OVERRIDEN'): Locator =>
  panel.locator(`li[data-type=${type}][aria-current=true]`);

/** Waits for the transaction id among the alert's facts. @returns its 64 hex digits */
export async function transactionOf(panel: Locator): Promise<string> {
  const id = fact(panel, 'Transaction')
    .locator('[title]')
    .filter({ hasText: /^[0-9a-f]{8}…/ });
  await id.waitFor();
  return (await id.getAttribute('title')) ?? '';
}
