import t from 'tap';
import { ledgerContract } from '@sentinel-node/test-kit/contract-suites';
import { openArc, openDev, underTest } from './ledger-harness.ts';

t.setTimeout(300_000);

await ledgerContract(t, 'development ledger', async (t) => {
  const dev = await openDev(t);
  return underTest(dev.ledger, dev);
});
await ledgerContract(t, 'ARC', (t) => openArc(t));
await ledgerContract(t, 'Arcade', (t) => openArc(t, [{ api: 'arcade' }]));
