import type { BodyPace, FairPool, FairTurns } from '@sentinel-node/platform';
import type { DeviceEntity } from '@sentinel-node/contracts';
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { Admission } from '../core.ts';
import type { DeviceAddress } from '../devices.ts';
import type { DeviceSnapshot } from '../domain/device-snapshot.ts';
import { Refusal } from '../domain/refusal.ts';
import { INGESTION_LIMITS } from '../limits.ts';
import { rateRefusal } from '../refusal-of.ts';
import { RECEIPT_PREFERENCE } from '../receipts.ts';
import { prefers } from './preferences.ts';
import { readBody } from './read-body.ts';

export interface DeviceParams {
  readonly orgId: string;
  readonly deviceId: string;
}

export function addressOf(request: FastifyRequest, { orgId, deviceId }: DeviceParams): DeviceAddress {
  const apiKey = request.headers['x-api-key'];
  return {
    orgId,
    deviceId,
    apiKey: typeof apiKey === 'string' ? apiKey : '',
    get ip() {
      return request.ip;
    },
  };
}

/**
 * Returns the device as the store has it, for a heartbeat or a read of the configuration, and counts the call. A call too many of a
 * device that is known costs no read of the store.
 */
export async function callingDevice(
  { devices, callRates }: Pick<Admission, 'devices' | 'callRates'>,
  address: DeviceAddress,
): Promise<DeviceSnapshot | Refusal> {
  const take = (device: DeviceSnapshot): Refusal | undefined =>
    rateRefusal(callRates.take(device.entity, Math.min(callsOf(device), callRates.most)));
  const known = devices.cached(address);
  const limited = known && take(known);
  if (limited !== undefined) return limited;
  const device = await devices.fresh(address);
  if (device instanceof Refusal || known !== undefined) return device;
  return take(device) ?? device;
}

const callsOf = ({ files }: DeviceSnapshot): number =>
  1 + Math.floor(files.size / INGESTION_LIMITS.filesPerCall);

export interface BodyRules {
  readonly pool: FairPool;
  readonly pace: BodyPace;
  /** Turns at decompression; undefined when gzip is not taken. */
  readonly unpacking?: FairTurns;
  readonly maxBytes: number;
  /** Device whose share of the pool the body takes. */
  readonly device: DeviceEntity;
  /** Called with the bytes held of a body that is refused. */
  readonly onRefused?: (bytes: number) => void;
}

/**
 * Holds the body's share of memory while `work` runs, which is called with the bytes held: those that came or, if more, those
 * decompressed. The connection of an unfinished body is closed.
 */
export async function withBody<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  { pool, pace, unpacking, maxBytes, device, onRefused }: BodyRules,
  work: (body: Buffer, held: number) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const share = pool.hold(device.orgId, device.id);
  try {
    const body = await readBody(request.raw, { maxBytes, unpacking, group: device.orgId, share, pace });
    if (!(body instanceof Refusal)) return await work(body, share.held);
    // A body that broke off is the network's fault.
    if (body.code !== 'REQUEST_TIMEOUT') onRefused?.(share.held);
    if (!request.raw.readableEnded) void reply.header('connection', 'close');
    return body;
  } finally {
    share.release();
  }
}

/** Returns whether the call requests a receipt, and confirms the request in the answer (RFC 7240 section 3). */
export function isReceiptWanted({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  const isWanted = prefers(headers.prefer, RECEIPT_PREFERENCE);
  if (isWanted) void reply.header('preference-applied', RECEIPT_PREFERENCE);
  return isWanted;
}

/** Description for calls that give receipts. */
export const RECEIPT_DESCRIPTION = 'With `Prefer: receipt` (RFC 7240) the answer carries a signed receipt.';

/** Schemas that only describe the API: the handlers read and judge the bodies. */
export const DESCRIBED_ONLY = {
  validatorCompiler: () => () => true,
  serializerCompiler: () => JSON.stringify,
} satisfies RouteShorthandOptions;
