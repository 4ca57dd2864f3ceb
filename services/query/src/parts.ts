/** Composes the parts of the service that need no routes. */
import {
  SmtpMailer,
  type Caller,
  type Mailer,
  type Outbox,
  type StreamCommit,
} from '@sentinel-node/platform';
import { type AlertContext, claimOutbox, forgetSavedViews, KeptAlerts, Signals } from './alerts/index.ts';
import { createSettling } from './commands/settle.ts';
import { queryContext, type QueryContext } from './context.ts';
import { Summaries } from './dashboard/index.ts';
import type { QueryDeps } from './deps.ts';
import { deviceContext, type DeviceContext } from './devices/index.ts';
import { type DevelopmentContext, developmentWallet } from './development/index.ts';
import { DevelopmentMailer } from './mail/development-mailer.ts';
import { MailOutbox } from './mail/outbox.ts';
import { type NotificationContext, noticeStream, unsubscribing } from './notifications/index.ts';
import { QUERY_POOLS } from './pools.ts';
import { recipientNow } from './recipient-now.ts';
import { backgroundStores, type BackgroundStores } from './storage/background-store.ts';
import { TokenUses, type ServiceTokenContext } from './service-tokens/index.ts';
import { type Authenticator, endSessionsOf, publicKeyOf, Sessions, walletSignInOf } from './signin/index.ts';
import { StreamHub, streamMetrics } from './stream/index.ts';
import { RegistryViews, ViewsAge } from './views/index.ts';
import { cloudEvent, disableGone, WebhookTarget, type WebhookContext } from './webhooks/index.ts';

/** The context of every feature, plus the parts that single features need. */
export interface Parts
  extends
    AlertContext,
    DeviceContext,
    DevelopmentContext,
    ServiceTokenContext,
    WebhookContext,
    NotificationContext {
  readonly webhooks: WebhookTarget;
  readonly sessions: Sessions;
  readonly hub: StreamHub;
  /** The projector writes the views through this object. */
  readonly summaries: Summaries;
  readonly background: BackgroundStores;
  readonly viewsAge: ViewsAge;
  /** Unpublished commits of the registry. */
  readonly commits: Outbox<StreamCommit>;
}

/** @param authenticatorReady resolves once the routes are registered */
export function composeParts(deps: QueryDeps, authenticatorReady: () => Promise<Authenticator>): Parts {
  const { store, clock, eventLog, timers, log, metrics } = deps;
  const sessions = new Sessions(store, clock);
  const onPublish = async (commit: StreamCommit): Promise<void> => {
    // A service token has no session whose end the hub would hear of.
    if (commit.entity.kind === 'SERVICE_TOKEN' && commit.entity.endedAt !== null) checkCallersSoon();
    await Promise.all([endSessionsOf(sessions, commit), forgetSavedViews(store, commit)]);
  };
  const isSoleWriter = deps.config.store.kind === 'embedded';
  const summaries = new Summaries({ ...deps, isSoleWriter });
  metrics.pool(QUERY_POOLS['known-files'], () => summaries.used);
  metrics.pool(QUERY_POOLS['files-not-judged'], () => summaries.parked);
  const keptAlerts = new KeptAlerts(deps);
  metrics.pool(QUERY_POOLS['known-alerts'], () => keptAlerts.used);
  const { settle, outbox: commits } = createSettling({
    ...deps,
    views: summaries,
    notifiesProcesses: !isSoleWriter,
    onPublish,
  });
  const mailer = mailerOf(deps);
  const developmentMailer = mailer instanceof DevelopmentMailer ? mailer : undefined;
  const shared = queryContext(deps, {
    mail: new MailOutbox({
      ...deps,
      mailer,
      recipientNow: recipientNow(store, clock, new RegistryViews(deps)),
    }),
    settle,
  });
  const context = deviceContext(shared);
  const signals = new Signals();
  const viewsAge = new ViewsAge(deps);
  const callersOf = async (tokens: readonly string[]): Promise<(Caller | undefined)[]> =>
    (await (await authenticatorReady()).authenticateAll(tokens)).map((signedIn) => signedIn?.caller);
  const hub = new StreamHub({
    reads: { ...context, summaries, keptAlerts },
    eventLog,
    timers,
    signals,
    viewsAge,
    log,
    callersOf,
  });
  summaries.confirmBy((orgId) => hub.catchUp(orgId));
  keptAlerts.confirmBy((orgId) => hub.catchUp(orgId));
  streamMetrics(metrics, hub.places);
  const checkCallersSoon = (): void => {
    hub.checkSessionsSoon();
    context.exports.checkAccessSoon();
  };
  sessions.onEnded(checkCallersSoon);
  const tokenUses = new TokenUses(store, clock, log);
  metrics.pool(QUERY_POOLS['service-token-uses'], () => tokenUses.used);
  const background = backgroundStores(store);
  metrics.pool(QUERY_POOLS['background-calls'], () => background.used);
  const webhooks = new WebhookTarget({
    ...deps,
    storeOf: background.of,
    disable: (webhook) => disableGone(context, webhook),
  });
  metrics.pool(QUERY_POOLS['webhooks-under-way'], () => webhooks.used);
  metrics.pool(QUERY_POOLS['webhook-counts'], () => webhooks.queue.counted);
  const own = {
    sessions,
    developmentMailer,
    commits,
    claims: claimOutbox(context),
    signals,
    keptAlerts,
    hub,
    summaries,
    tokenUses,
    webhooks,
    background,
    viewsAge,
    unsubscribing: unsubscribing(deps.secrets.masterSecret),
    ...(deps.config.noticesTopic && {
      stream: noticeStream(eventLog, (notice) => cloudEvent(notice, deps.config)),
    }),
  };
  return { ...context, ...walletOf(context, sessions), ...own };
}

function mailerOf({ config, store, clock, random, mailer }: QueryDeps): Mailer {
  if (config.mail.kind === 'dev') return new DevelopmentMailer(store, clock, random);
  return mailer ?? new SmtpMailer({ ...config.mail, clock });
}

function walletOf(
  context: QueryContext,
  sessions: Sessions,
): Pick<DevelopmentContext, 'developmentWallet' | 'walletSignIn'> {
  const { config, secrets, clock, random } = context;
  if (config.wallet.kind === 'dev') {
    const wallet = developmentWallet(secrets.masterSecret, clock, random);
    return { developmentWallet: wallet, walletSignIn: walletSignInOf(context, sessions, wallet.publicKey) };
  }
  const publicKey = publicKeyOf(config.wallet.publicKey);
  return { developmentWallet: undefined, walletSignIn: walletSignInOf(context, sessions, publicKey) };
}
