import { readConfig } from '../config/read-config.ts';
import type { ServiceName } from '../config/variables.ts';
import { createLog } from '../logging/log.ts';
import { runService } from '../process/run-service.ts';
import { startServices, type StartOptions } from './start-services.ts';

/** The `main` of a service that runs in a process of its own. */
export function runServiceAlone(name: ServiceName, create: StartOptions['create']): void {
  runService(name, async ({ useLog }) => {
    const config = readConfig(process.env, [name]);
    const log = createLog({ level: config.logLevel, service: name });
    useLog(log);
    return startServices({ name, config, log, create });
  });
}
