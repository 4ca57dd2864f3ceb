/** Steps from a sign-in link through the wallet's page into the console. */
import type { Test } from 'tap';
import type { Visitor } from './browser-visitor.ts';

/** Goes from the login page to the wallet's page and checks the parameters in its address. */
export async function toWallet(t: Test, visitor: Visitor): Promise<void> {
  const { page } = visitor;
  await visitor.heading('Sentinel Node').waitFor();
  await page.getByText('Welcome.', { exact: false }).waitFor();
  await page.getByText('You need an e2wallet account first. If you have none, it can be created').waitFor();
  await visitor.button('Log in with e2wallet').click();
  await visitor.heading('Development wallet').waitFor();
  const { origin, searchParams } = new URL(page.url());
  t.equal(searchParams.get('source'), 'sentinel-node');
  t.match(searchParams.get('redirect'), `${origin}/authentication?state=`);
  t.equal(searchParams.get('callback'), `${origin}/api/v1/e2walletlogin`);
}

/** Signs in at the completed wallet's page; the console removes the token from its address. */
export async function confirmAtWallet(t: Test, visitor: Visitor, path: string): Promise<void> {
  await visitor.button('Sign in').click();
  await visitor.page.waitForURL(`**${path}`);
  t.equal(visitor.page.url(), new URL(path, visitor.page.url()).href, 'no token stays in the address');
}

export async function fillWallet(visitor: Visitor, email: string, name: string): Promise<void> {
  await visitor.page.getByLabel('E-mail').fill(email);
  await visitor.page.getByLabel('Name').fill(name);
}

/** Waits for the mark in the header of a page that follows the server live. */
export const isLive = (visitor: Visitor): Promise<void> =>
  visitor.page.locator('.live-mark[data-state=live]').waitFor();

export async function logOut(t: Test, visitor: Visitor, email: string): Promise<void> {
  const { page } = visitor;
  await visitor.button('User menu').click();
  await page.getByText(email, { exact: true }).waitFor();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await page.waitForURL('**/login');
  t.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 0, 'the navigation is gone');
  await page.goto(new URL('/dashboard', page.url()).href);
  await page.waitForURL('**/login');
  await visitor.button('Log in with e2wallet').waitFor();
}
