/**
 * Preload of a service that lets Kafka forget a killed one after four seconds instead of fifteen: until then its successor
 * hears nothing.
 */
import type * as Kafka from '@sentinel-node/platform/kafka';
import { libraryOf } from './preload-library.ts';

const { KAFKA_LIMITS }: typeof Kafka = await import(libraryOf('kafka'));
Object.assign(KAFKA_LIMITS, { sessionTimeoutMs: 4_000, heartbeatIntervalMs: 400 });
