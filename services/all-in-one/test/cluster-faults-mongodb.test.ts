/** Tests a MongoDB server that ends, restarts and hangs under load. */
import { outages } from './support/outages.ts';

outages('MongoDB', 'mongo');
