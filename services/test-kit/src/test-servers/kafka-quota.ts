/** Sets client quotas of a real broker (AlterClientQuotas, KIP-546). */
import { askBroker, InnerEncoder, type Encoder } from './kafka-inner.ts';

const API_KEY = 49;
const ANSWER_ERROR_AT_BYTE = 8;

/** Bytes a second, or percent of the broker's request threads; undefined removes the quota. */
export interface ClientQuota {
  readonly consumer_byte_rate?: number | undefined;
  readonly producer_byte_rate?: number | undefined;
  readonly request_percentage?: number | undefined;
}

/** Sets the quota of one client id, or of every client without its own quota (`undefined`). */
export async function setClientQuota(
  brokers: string,
  clientId: string | undefined,
  quota: ClientQuota,
): Promise<void> {
  const body = bodyOf(clientId, quota);
  const answer = await askBroker(brokers, { apiKey: API_KEY, apiName: 'AlterClientQuotas', body });
  // Throttle time, number of entries, then the code of the only entry.
  const code = answer.readInt16BE(ANSWER_ERROR_AT_BYTE);
  if (code !== 0) throw new Error(`AlterClientQuotas answered error ${code}`);
}

function bodyOf(clientId: string | undefined, quota: ClientQuota): Encoder {
  const entity = new InnerEncoder().writeString('client-id').writeString(clientId ?? null);
  const operations = Object.entries(quota).map(([key, value]: [string, number | undefined]) =>
    new InnerEncoder()
      .writeString(key)
      .writeDouble(value ?? 0)
      .writeBoolean(value === undefined),
  );
  const entry = new InnerEncoder().writeArray([entity]).writeArray(operations);
  return new InnerEncoder().writeArray([entry]).writeBoolean(false);
}
