/** The first request of the console: returns where to sign in, and which parts are for development only. */
import { Type, type Static } from 'typebox';
import type { App, Config } from '@sentinel-node/platform';

const WALLET_PATH = '/dev-wallet';
/** Page of a transaction for people, by the network of the ledger; `{txid}` is replaced. */
const EXPLORER_URLS = {
  main: 'https://whatsonchain.com/tx/{txid}',
  test: 'https://test.whatsonchain.com/tx/{txid}',
  regtest: null,
};

const ConsoleConfigSchema = Type.Object({
  walletUrl: Type.String(),
  apiBase: Type.String(),
  explorerUrl: Type.Union([Type.String(), Type.Null()]),
  developmentParts: Type.Array(Type.String()),
});

export function consoleConfigRoute(app: App, { config }: { readonly config: Config }): void {
  const answer = consoleConfig(config);
  app.get('/console-config.json', {
    config: { access: 'public' },
    schema: { hide: true, response: { 200: ConsoleConfigSchema } } as {
      response: { 200: typeof ConsoleConfigSchema };
    },
    handler: async (_, reply) => {
      void reply.header('cache-control', 'no-store');
      return answer;
    },
  });
}

function consoleConfig(config: Config): Static<typeof ConsoleConfigSchema> {
  const parts = { wallet: config.wallet, mail: config.mail, ledger: config.ledger };
  return {
    // A path: the console adds its own origin, so any address of the server works.
    walletUrl: config.wallet.kind === 'dev' ? WALLET_PATH : config.wallet.url,
    apiBase: '/api/v1',
    explorerUrl: config.ledger.kind === 'dev' ? null : EXPLORER_URLS[config.network],
    developmentParts: Object.entries(parts).flatMap(([name, { kind }]) => (kind === 'dev' ? [name] : [])),
  };
}
