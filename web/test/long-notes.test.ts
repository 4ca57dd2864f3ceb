/** Notes as people write them: with emoji, and in several lines. */
import { consoleTest } from './support.ts';

consoleTest('a long note is cut between two signs, not within one', async ({ mock, open }, t) => {
  const event = mock.world.events.find(({ type }) => type === 'MODIFY_DEVICE') ?? mock.world.events[0];
  if (event === undefined) throw new Error('the world has an event');
  Object.assign(event, { type: 'MODIFY_DEVICE', note: `x${'🔥'.repeat(100)}` });
  const page = await open(`/dashboard?event=${event.id}&in=${event.deviceId}`);
  const panel = page.getByRole('dialog');
  await panel.getByRole('button', { name: 'Show More' }).waitFor();
  const short = await panel.locator('.preserve.screen-only').innerText();
  t.match(short, /^x(?:🔥)+…$/u, 'no half of a sign');
});

consoleTest('the note of a stop keeps its lines', async ({ mock, open }, t) => {
  const [device] = mock.world.devices;
  if (device === undefined) throw new Error('the world has a device');
  Object.assign(device, { enabled: false, disabledNote: 'Moved to another rack\nTicket 1482' });
  const page = await open(`/device/${device.id}`);
  const note = page.getByText('Ticket 1482');
  await note.waitFor();
  t.equal(await note.innerText(), 'Moved to another rack\nTicket 1482');
});
