// What the single executable begins with: `sentinel` with the commands of the agent's own package.
import { cli } from '../../services/agent/dist/src/index.js';

cli(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  },
);
