#!/usr/bin/env node
/** Starts all services from a finished build, without checking the sources; `npm start` builds first. */
import { main } from './main.ts';

await main();
