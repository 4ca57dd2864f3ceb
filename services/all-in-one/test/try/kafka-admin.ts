import kafkajs from 'kafkajs';
import type { Admin, KafkaConfig } from 'kafkajs';
import type { KafkaConnection } from '@sentinel-node/platform/kafka';

const CLIENT_ID = 'sentinel-try-backends';

/** Runs `work` with an administration client of the given brokers. */
export async function withKafka<T>(
  { brokers, sasl, tls }: KafkaConnection,
  work: (admin: Admin, kafka: kafkajs.Kafka) => Promise<T>,
): Promise<T> {
  const kafka = new kafkajs.Kafka({
    brokers: [...brokers],
    clientId: CLIENT_ID,
    logLevel: kafkajs.logLevel.NOTHING,
    ...(tls !== undefined && { ssl: tls }),
    ...(sasl !== undefined && { sasl }),
  } as KafkaConfig);
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await work(admin, kafka);
  } finally {
    await admin.disconnect();
  }
}
