// Runs the whole system in one process, until a signal ends it.
const { main } = await import('../../services/all-in-one/dist/src/main.js');
await main();
