/** One page of the console, and the measurements taken in the page. */

/** The first row of data of any page. */
const ROWS = "table[aria-label] tbody tr[aria-rowindex='2']";
const VIEWPORT = { width: 1440, height: 900 };
/** The longest wait for data, in milliseconds. */
const DATA_MS = 60_000;
const WHEEL_PIXELS = 900;
const WHEEL_EVERY_MS = 40;

/** Opens a new tab of a signed-in person. */
export async function openPage({ browser, url, session }, path) {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const { token, email } = session;
  await context.addInitScript(
    (user) => localStorage.setItem('sentinel.user', user),
    JSON.stringify({ token, email }),
  );
  await context.addInitScript(measures, ROWS);
  const page = await context.newPage();
  await page.goto(`${url}${path}`, { waitUntil: 'commit' });
  return page;
}

/** Installs the measurements. Runs in the page, before anything else, so that no message between processes is in them. */
function measures(rows) {
  const tasks = [];
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe(
    {
      type: 'longtask',
      buffered: true,
    },
  );
  const painted = () =>
    new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())));
  const until = async (condition) => {
    while (!condition()) await new Promise((next) => requestAnimationFrame(next));
    await painted();
  };
  const first = () => document.querySelector("tr[aria-rowindex='2'] a")?.getAttribute('href') ?? '';
  Object.assign(window, {
    tasks,
    data: until(() => document.querySelector(rows) !== null).then(() => performance.now()),
    nextFirstRow: async () => {
      const before = first();
      await until(() => first() !== before);
      return Date.now();
    },
  });
}

/** Returns milliseconds from the navigation to the first paint of anything, and to the first paint of data. */
export async function seen(page) {
  await page.locator(ROWS).first().waitFor({ timeout: DATA_MS, state: 'attached' });
  const data = await page.evaluate(() => window.data);
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  );
  return { data, paint };
}

/** Turns the mouse wheel for some seconds, down and then part of the way up. */
export async function scrolled(page, seconds) {
  await page.mouse.move(VIEWPORT.width / 2, VIEWPORT.height / 2);
  await page.evaluate(() => void window.tasks.splice(0));
  for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
    const isUp = (end - performance.now()) / (seconds * 1_000) < 0.2;
    await page.mouse.wheel(0, isUp ? -WHEEL_PIXELS : WHEEL_PIXELS);
    await page.waitForTimeout(WHEEL_EVERY_MS);
  }
  return page.evaluate(() => ({
    rows: Number(document.querySelector('table[aria-rowcount]').getAttribute('aria-rowcount')) - 1,
    longest: Math.max(0, ...window.tasks),
    tasks: window.tasks.length,
    elements: document.getElementsByTagName('*').length,
    heap: performance.memory.usedJSHeapSize,
  }));
}

/** Returns the bytes that the page's heap holds after a collection of its garbage. */
export async function heapOf(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  await cdp.detach();
  return usedSize;
}
