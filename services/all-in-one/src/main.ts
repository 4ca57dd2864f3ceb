import { createLog, readConfig, runService } from '@sentinel-node/platform';
import { banner } from './banner.ts';
import { startSystem } from './system.ts';

/** Starts everything in this process; `npm start` ends here. */
export async function main(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  runService('sentinel', async ({ useLog }) => {
    const config = readConfig(env);
    const log = createLog({ level: config.logLevel, service: 'all-in-one' });
    useLog(log);
    const system = await startSystem(config, log);
    process.stderr.write(banner(config, system));
    return system;
  });
}
