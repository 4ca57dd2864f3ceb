// Makes an organisation for the benchmark of the console.
import { seed } from '../seed/run.mjs';
import { answerCalls } from './child.mjs';

answerCalls({
  seed: (options) => seed({ ...options, intoExisting: false }),
  stop: () => undefined,
});
