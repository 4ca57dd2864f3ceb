/** The parts of the service that do not need its routes, put together once. */
import type { KeyObject } from 'node:crypto';
import {
  deviceApiKey,
  PURPOSES,
  purposeKey,
  SmtpMailer,
  STREAMS_COLLECTION,
  type CollectionSpec,
  type Mailer,
  type Outbox,
  type StreamCommit,
} from '@sentinel-node/platform';
import { ACTIVATIONS_COLLECTION } from './commands/activations.ts';
import type { CommandContext } from './commands/context.ts';
import { DeviceSeats, DEVICE_SEATS_COLLECTION } from './commands/device-seats.ts';
import { RESERVATIONS_COLLECTION, Reservations } from './commands/reservations.ts';
import { settling } from './commands/settle.ts';
import type { QueryDeps } from './deps.ts';
import { developmentWallet, type DevelopmentWallet } from './dev-wallet/wallet.ts';
import { TEST_COLLECTION } from './http/test.ts';
import { DevelopmentMailer, DEVELOPMENT_MAILS_COLLECTION } from './mail/development-mailer.ts';
import { MailOutbox, MAILS_COLLECTION } from './mail/outbox.ts';
import type { ReadContext } from './reads/index.ts';
import { publicKeyOf } from './signin/secp256k1.ts';
import { Sessions, SESSIONS_COLLECTION } from './signin/sessions.ts';
import { SIGN_INS_COLLECTION, SignIns } from './signin/sign-ins.ts';
import { ownOrigins, WalletSignIn } from './signin/wallet-sign-in.ts';

/** Collections that commands and signing in write; none of them is a view, so they are backed up. */
export const COMMAND_COLLECTIONS: readonly CollectionSpec[] = [
  STREAMS_COLLECTION,
  RESERVATIONS_COLLECTION,
  DEVICE_SEATS_COLLECTION,
  ACTIVATIONS_COLLECTION,
  SESSIONS_COLLECTION,
  SIGN_INS_COLLECTION,
  MAILS_COLLECTION,
  DEVELOPMENT_MAILS_COLLECTION,
  TEST_COLLECTION,
];

export interface Parts {
  readonly commands: CommandContext;
  readonly reads: ReadContext;
  readonly sessions: Sessions;
  readonly mail: MailOutbox;
  readonly walletSignIn: WalletSignIn;
  readonly developmentWallet: DevelopmentWallet | undefined;
  readonly developmentMailer: DevelopmentMailer | undefined;
  readonly commits: Outbox<StreamCommit>;
}

export function queryParts(deps: QueryDeps): Parts {
  const { config, store, eventLog, clock, random, timers, log, secrets } = deps;
  const sessions = new Sessions(store, clock);
  const mailer = mailerOf(deps);
  const mail = new MailOutbox({ store, mailer, clock, random, timers, log });
  const { settle, outbox } = settling({ store, eventLog, sessions, log, metrics: deps.metrics });
  const reservations = new Reservations(store, clock);
  const seats = new DeviceSeats({ store, clock });
  const { publicUrl, wallet: walletConfig } = config;
  const wallet =
    walletConfig.kind === 'dev' ? developmentWallet(secrets.masterSecret, clock, random) : undefined;
  const publicKey: KeyObject =
    walletConfig.kind === 'dev' ? wallet!.publicKey : publicKeyOf(walletConfig.publicKey);
  const signIns = new SignIns(store, sessions, clock, random, config.sessionKeyNumber);
  return {
    commands: { store, clock, random, timers, reservations, seats, mail, settle, publicUrl },
    reads: readContext(deps),
    sessions,
    mail,
    walletSignIn: new WalletSignIn({ publicKey, signIns, origins: ownOrigins(config), clock, log }),
    developmentWallet: wallet,
    developmentMailer: mailer instanceof DevelopmentMailer ? mailer : undefined,
    commits: outbox,
  };
}

function mailerOf({ config, store, clock, random, mailer }: QueryDeps): Mailer {
  if (config.mail.kind === 'dev') return new DevelopmentMailer(store, clock, random);
  return mailer ?? new SmtpMailer({ ...config.mail, clock });
}

function readContext({ store, clock, config, secrets }: QueryDeps): ReadContext {
  const key = purposeKey(secrets.masterSecret, PURPOSES.deviceApiKeys);
  return {
    store,
    clock,
    apiKeyOf: ({ orgId, id, keyVersion }) => deviceApiKey(key, orgId, id, keyVersion),
    sentinelAddress: `${config.publicUrl}/api/v1`,
  };
}
