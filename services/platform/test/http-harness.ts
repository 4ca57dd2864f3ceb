import { PassThrough } from 'node:stream';
import type { Test } from 'tap';
import {
  createHttp,
  createLog,
  createMetrics,
  readConfig,
  type HttpOptions,
  type HttpShell,
} from '../src/index.ts';

export interface Harness extends HttpShell {
  readonly lines: string[];
}

/** Opens a shell on a free port of this machine; the test closes it. */
export async function httpShell(
  t: Test,
  env: Record<string, string> = {},
  options: Partial<HttpOptions> = {},
): Promise<Harness> {
  const lines: string[] = [];
  const destination = new PassThrough().on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  const shell = await createHttp({
    config: readConfig({ SENTINEL_PORT: '0', ...env }),
    log: createLog({ level: 'info', service: 'test', destination }),
    metrics: createMetrics('test', { processMetrics: false }),
    ...options,
  });
  t.teardown(() => shell.stop());
  return { ...shell, lines };
}
