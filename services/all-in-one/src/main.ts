import { createLog, readConfig, runService } from '@sentinel-node/platform';
import { banner } from './banner.ts';
import { startSystem } from './system.ts';

/** Starts all services in this process; `npm start` calls this function. */
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
