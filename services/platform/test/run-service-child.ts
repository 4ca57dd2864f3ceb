/** A service for the tests of `runService`; its first argument names its behaviour. */
import {
  ConfigError,
  DataFolderInUseError,
  readConfig,
  runService,
  createHttp,
  createLog,
  createMetrics,
} from '../src/index.ts';

const [, , behaviour = ''] = process.argv;
const say = (text: string): void => void process.stdout.write(`${text}\n`);
const never = new Promise<never>(() => undefined);

runService('test-service', async ({ useLog }) => {
  if (behaviour === 'config') throw new ConfigError([{ variable: 'SENTINEL_X', message: 'is wrong' }]);
  if (behaviour === 'environment') readConfig(process.env);
  if (behaviour === 'folder') throw new DataFolderInUseError('/data');
  if (behaviour === 'surprise') throw new TypeError('undefined is\nnot a function');
  const keepAlive = setInterval(() => undefined, 1_000);
  if (behaviour === 'port') {
    const config = readConfig(process.env);
    const log = createLog({ level: 'silent', service: 'test' });
    await (await createHttp({ config, log, metrics: createMetrics('test') })).listen();
  }
  if (behaviour === 'late-throw')
    setImmediate(() => {
      throw new Error('later');
    });
  if (behaviour === 'late-reject') void Promise.reject(new Error('nobody waits'));
  if (behaviour === 'logged' || behaviour === 'logged-stop')
    useLog(createLog({ level: 'info', service: 'test' }));
  if (behaviour === 'logged') {
    setImmediate(() => {
      throw new Error('later');
    });
  }
  say('started');
  return {
    failed: behaviour === 'failed' ? Promise.reject(new DataFolderInUseError('/lost')) : never,
    stop: async () => {
      say('stopping');
      if (behaviour === 'hangs') await never;
      if (behaviour === 'slow') await new Promise((resolve) => process.stdin.resume().once('end', resolve));
      clearInterval(keepAlive);
      say('stopped');
    },
  };
});
