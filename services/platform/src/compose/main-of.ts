import { ConfigError } from '../config/config-error.ts';
import { readConfig } from '../config/read-config.ts';
import type { ServiceName } from '../config/variables.ts';
import { createLog } from '../logging/log.ts';
import { runService } from '../process/run-service.ts';
import { startServices, type StartOptions } from './start-services.ts';

/** Runs the `main` of a service in its own process. */
export function runServiceAlone(
  name: ServiceName,
  parts: Omit<StartOptions, 'name' | 'config' | 'log'>,
): void {
  runService(name, async ({ useLog }) => {
    const config = readConfig(process.env, [name]);
    if (config.store.kind === 'embedded') {
      const message =
        'is needed by a service alone, with SENTINEL_MONGODB_URL: the embedded store is for one process';
      throw new ConfigError([{ variable: 'SENTINEL_KAFKA_BROKERS', message }]);
    }
    const log = createLog({ level: config.logLevel, service: name });
    useLog(log);
    return startServices({ name, config, log, ...parts });
  });
}
