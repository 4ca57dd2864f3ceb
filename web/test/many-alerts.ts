import { alert } from './fixtures.ts';
import type { Mock } from './mock-api.ts';

/** Active alerts, newer than all others. */
export function manyAlerts(mock: Mock, count: number): void {
  const of = mock.world.devices[1];
  const file = of?.files[1];
  if (of === undefined || file === undefined) throw new Error('a device with a file');
  const raised = Array.from({ length: count }, (_, n) =>
    alert(1_000 + n, 'UNEXPECTED_CHANGE', of, file, mock.world.now - n * 1_000),
  );
  mock.world.alerts.unshift(...raised);
}
