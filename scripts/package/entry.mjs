// Entry point of the single executable: `sentinel` with the commands of the agent's package.
import { setAgentFlags } from '../../services/agent/bin/flags.mjs';
import { cli } from '../../services/agent/dist/src/cli.js';

// As in services/agent/bin/sentinel.mjs.
if (process.argv[2] === 'agent') setAgentFlags();

cli(process.argv.slice(2)).then((code) => (process.exitCode = code));
