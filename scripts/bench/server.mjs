// A server of a benchmark, in a process of its own: asked to open one kind, then for what it has used.
import { answerCalls } from './child.mjs';
import { openBareFastify, openCeiling } from './ceiling.mjs';
import { forward, produce } from './kafka-bare.mjs';
import { openIngestion, openQuery, openSystem, openVerifier } from './systems.mjs';
import { usage } from './usage.mjs';

const KINDS = {
  ceiling: openCeiling,
  bare: openBareFastify,
  ingestion: openIngestion,
  query: openQuery,
  system: openSystem,
  verifier: openVerifier,
};

let close = async () => {};

answerCalls({
  open: async ({ kind, ...options }) => {
    const opened = await KINDS[kind](options);
    close = opened.close;
    return { url: opened.url };
  },
  forward,
  produce,
  usage,
  stop: () => close(),
});
