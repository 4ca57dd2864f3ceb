/** Tests a Kafka that ends, restarts and hangs under load. */
import { outages } from './support/outages.ts';

outages('Kafka', 'kafka');
