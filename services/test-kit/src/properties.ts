/**
 * fast-check with the seed of `seedFrom`, and with values as long as their `maxLength`: by default fast-check makes no array, string
 * or bytes of more than `2 * minLength + 10`. What fast-check says of a failure names the seed.
 */
import fc from 'fast-check';
import { seedFrom } from './seeds.ts';

fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: seedFrom(),
  defaultSizeToMaxWhenMaxSpecified: true,
});

export default fc;
