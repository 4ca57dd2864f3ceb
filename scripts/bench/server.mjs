// A server of a benchmark, in a process of its own: asked to open one kind, then for what it has used.
import { answerCalls } from './child.mjs';
import { openBareFastify, openCeiling } from './ceiling.mjs';
import { openIngestion, openQuery, openSystem } from './systems.mjs';
import { usage } from './usage.mjs';

const KINDS = {
  ceiling: openCeiling,
  bare: openBareFastify,
  ingestion: openIngestion,
  query: openQuery,
  system: openSystem,
};

let close = async () => {};

answerCalls({
  open: async ({ kind, ...options }) => {
    const opened = await KINDS[kind](options);
    close = opened.close;
    return { url: opened.url };
  },
  usage,
  stop: () => close(),
});
