/** Where the console sends people who look for a transaction. */
import t from 'tap';
import { createWorld } from './world.ts';

const PUBLIC = {
  SENTINEL_LEDGER: 'https://arc.example.org',
  SENTINEL_FUNDING_KEY: '1'.repeat(64),
  SENTINEL_HEADERS: 'https://headers.example.org',
};
const CHECKPOINT = { SENTINEL_HEADERS_CHECKPOINT: `7:${'a'.repeat(64)}` };

for (const [name, env, url] of [
  ['main', PUBLIC, 'https://whatsonchain.com/tx/{txid}'],
  ['test', { ...PUBLIC, ...CHECKPOINT, SENTINEL_NETWORK: 'test' }, 'https://test.whatsonchain.com/tx/{txid}'],
  ['regtest', { ...PUBLIC, ...CHECKPOINT, SENTINEL_NETWORK: 'regtest' }, null],
  ['the development ledger', {}, null],
] as const)
  t.test(`explorer of ${name}`, async (t) => {
    const { app } = await createWorld(t, env);
    const answer = await app.inject({ url: '/console-config.json', headers: { host: 'localhost:8443' } });
    t.equal(answer.json<{ explorerUrl: string | null }>().explorerUrl, url);
  });
