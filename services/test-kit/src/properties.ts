/** fast-check with the seed of `seedFrom`. What fast-check says of a failure names the seed. */
import fc from 'fast-check';
import { seedFrom } from './seeds.ts';

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: seedFrom() });

export default fc;
