#!/usr/bin/env node
/** Starts everything from a finished build, without looking at the sources; `npm start` builds first. */
import { main } from './main.ts';

await main();
