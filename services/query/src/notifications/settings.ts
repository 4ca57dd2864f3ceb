/** Mail settings of recipients: set in the console, or by the unsubscribe link of a mail. */
import { createHash, createHmac } from 'node:crypto';
import type { NotificationSetting } from '@sentinel-node/contracts';
import {
  ApiError,
  collectionOf,
  constantTimeEqual,
  PURPOSES,
  purposeKey,
  saveIfCurrent,
  type DocumentStore,
} from '@sentinel-node/platform';
import { mailboxHash } from '../mail/mail-limits.ts';
import type { Actor } from '../registry/decision.ts';
import { versionTag, type Expected } from '../registry/tags.ts';
import type { Tagged } from '../views/index.ts';
import type { Recipient } from './mailbox.ts';

/** `id` is the recipient's. */
type SettingDocument = NotificationSetting & {
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
};

export const NOTIFICATION_SETTINGS_COLLECTION = {
  name: collectionOf<SettingDocument>('notification_settings'),
  indexes: [],
} as const;

export const NO_SETTING: NotificationSetting = { mails: true, zone: 'UTC', quietHours: null };
const ATTEMPTS = 8;

export const userRecipient = (orgId: string, userId: string): Recipient => ({
  id: `${orgId}:user:${userId}`,
  orgId,
  userId,
  address: null,
});

/** The id holds a hash of the address, so that the address does not show. Each spelling with a tag has its own. */
export const addressRecipient = (orgId: string, address: string): Recipient => ({
  id: `${orgId}:address:${createHash('sha256').update(address.toLowerCase()).digest('hex')}`,
  orgId,
  userId: null,
  address,
});

/** Returns the id of a recipient's setting. Addresses of one mailbox (`eve@…`, `eve+1@…`) share it. */
export const settingId = ({ id, orgId, address }: SettingOwner): string =>
  address === null ? id : `${orgId}:address:${mailboxHash(address)}`;

type SettingOwner = Pick<Recipient, 'id' | 'orgId' | 'address'>;

/** Returns settings by the id of the recipient, for the recipients that have one. */
export async function settingsOf(
  store: DocumentStore,
  recipients: readonly SettingOwner[],
): Promise<Map<string, NotificationSetting>> {
  if (recipients.length === 0) return new Map();
  // Links in mails of earlier versions name the recipient.
  const idsOf = (recipient: SettingOwner): string[] => [settingId(recipient), recipient.id];
  const ids = new Set(recipients.flatMap(idsOf));
  const found = await store.getMany(NOTIFICATION_SETTINGS_COLLECTION.name, [...ids]);
  const byId = new Map(found.map(({ id, mails, zone, quietHours }) => [id, { mails, zone, quietHours }]));
  return new Map(
    recipients.flatMap((recipient) => {
      const own = idsOf(recipient).flatMap((id) => byId.get(id) ?? []);
      const setting = own.find(({ mails }) => !mails) ?? own[0];
      return setting === undefined ? [] : [[recipient.id, setting] as const];
    }),
  );
}

export async function readOwnSetting(
  store: DocumentStore,
  { id }: Pick<Recipient, 'id'>,
): Promise<Tagged<NotificationSetting>> {
  return tagged(await store.get(NOTIFICATION_SETTINGS_COLLECTION.name, id));
}

function tagged(found: SettingDocument | undefined): Tagged<NotificationSetting> {
  const { mails, zone, quietHours } = found ?? NO_SETTING;
  return { body: { mails, zone, quietHours }, tag: versionTag(found?.rev ?? 0) };
}

/** @throws ApiError STALE, the refusal of `confirm`, CONFLICT when others keep changing it */
export async function changeSetting(
  store: DocumentStore,
  { id, orgId }: Pick<Recipient, 'id' | 'orgId'>,
  change: Partial<NotificationSetting>,
  { expected, confirm }: { readonly expected?: Expected | undefined } & Pick<Actor, 'confirm'> = {},
): Promise<Tagged<NotificationSetting>> {
  const { name } = NOTIFICATION_SETTINGS_COLLECTION;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await store.get(name, id);
    const { body, tag } = tagged(found);
    if (expected?.(tag) === false) throw new ApiError('STALE');
    await confirm?.();
    const { mails, zone, quietHours } = { ...body, ...change };
    const next = { id, rev: (found?.rev ?? 0) + 1, orgId, mails, zone, quietHours };
    if (await saveIfCurrent(store, name, next, found?.rev)) return tagged(next);
  }
  throw new ApiError('CONFLICT');
}

/** Makes and reads the tokens of unsubscribe links, which work without signing in (RFC 8058). */
export interface Unsubscribing {
  /** Returns a token without an expiry: its only use is to switch these mails off. */
  tokenOf(recipientId: string): string;
  /** Returns undefined when the token was not made here. */
  recipientOf(token: string): Pick<Recipient, 'id' | 'orgId'> | undefined;
}

export function unsubscribing(masterSecret: string): Unsubscribing {
  const key = purposeKey(masterSecret, PURPOSES.unsubscribing);
  const sign = (id: string): string => createHmac('sha256', key).update(id).digest('base64url');
  return {
    tokenOf: (id) => `${Buffer.from(id).toString('base64url')}.${sign(id)}`,
    recipientOf: (token) => {
      const [named = '', signature = ''] = token.split('.');
      const id = Buffer.from(named, 'base64url').toString();
      return constantTimeEqual(sign(id), signature) ? { id, orgId: id.split(':')[0]! } : undefined;
    },
  };
}
