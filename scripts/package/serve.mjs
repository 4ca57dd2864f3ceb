// The whole system in one process, until it is told to end.
const { main } = await import('../../services/all-in-one/dist/src/main.js');
await main();
