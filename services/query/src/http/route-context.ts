import type { Config, DocumentStore } from '@sentinel-node/platform';
import type { CommandContext } from '../commands/context.ts';
import type { DevelopmentWallet } from '../dev-wallet/wallet.ts';
import type { DevelopmentMailer } from '../mail/development-mailer.ts';
import type { ReadContext } from '../reads/index.ts';
import type { Authenticator } from '../signin/authenticator.ts';
import type { WalletSignIn } from '../signin/wallet-sign-in.ts';
import type { Sessions } from '../signin/sessions.ts';
import type { Tokens } from '../signin/tokens.ts';

/** What the routes of this package work with. */
export interface RouteContext {
  readonly config: Config;
  readonly store: DocumentStore;
  readonly commands: CommandContext;
  readonly reads: ReadContext;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly authenticator: Authenticator;
  readonly walletSignIn: WalletSignIn;
  /** undefined: a real wallet. */
  readonly developmentWallet: DevelopmentWallet | undefined;
  /** undefined: a real mail server. */
  readonly developmentMailer: DevelopmentMailer | undefined;
}
