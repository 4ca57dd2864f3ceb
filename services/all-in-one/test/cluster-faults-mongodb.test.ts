/** MongoDB goes away, comes back, and hangs, while reports come in. */
import { outages } from './support/outages.ts';

outages('MongoDB', 'mongo');
