// A server of a benchmark, in a process of its own: a message opens one kind of server, later messages ask for its processor time and memory.
import { answerCalls } from './child.mjs';
import { usage } from './usage.mjs';

// Modules are loaded on demand, so that the memory of one kind does not include the modules of the others.
const ceilings = () => import('./ceiling.mjs');
const systems = () => import('./systems.mjs');
const bareKafka = () => import('./kafka-bare.mjs');

const KINDS = {
  ceiling: async (options) => (await ceilings()).openCeiling(options),
  answers: async (options) => (await ceilings()).openAnswers(options),
  bare: async (options) => (await ceilings()).openBareFastify(options),
  ingestion: async (options) => (await systems()).openIngestion(options),
  query: async (options) => (await systems()).openQuery(options),
  system: async (options) => (await systems()).openSystem(options),
  verifier: async (options) => (await systems()).openVerifier(options),
};

let close = async () => {};

answerCalls({
  open: async ({ kind, ...options }) => {
    const opened = await KINDS[kind](options);
    close = opened.close;
    return { url: opened.url };
  },
  forward: async (args) => (await bareKafka()).forward(args),
  produce: async (args) => (await bareKafka()).produce(args),
  usage,
  stop: () => close(),
});
