import { readConfig } from '@sentinel-node/platform';

/** Limits that refuse no sender of a benchmark. */
const UNLIMITED = '1000000000';

/**
 * Returns the default settings, on a free port of this machine, without a demonstration and without limits. With
 * `cluster`, data are in Kafka and MongoDB instead of the folder.
 */
export const configurationOf = ({ folder, secret, cluster }) =>
  readConfig({
    SENTINEL_PORT: '0',
    SENTINEL_HOST: '127.0.0.1',
    SENTINEL_DATA_DIR: folder,
    SENTINEL_DEMO: 'off',
    SENTINEL_SECRET: secret,
    SENTINEL_LIMIT_DEVICE_REPORTS: UNLIMITED,
    SENTINEL_LIMIT_DEVICE_BURST: UNLIMITED,
    SENTINEL_LIMIT_ORGANIZATION_REPORTS: UNLIMITED,
    SENTINEL_LIMIT_ORGANIZATION_BURST: UNLIMITED,
    SENTINEL_LIMIT_USER_CALLS: UNLIMITED,
    SENTINEL_LIMIT_ORGANIZATION_CALLS: UNLIMITED,
    SENTINEL_LIMIT_LOGIN: UNLIMITED,
    SENTINEL_LIMIT_CONFIRM: UNLIMITED,
    SENTINEL_LIMIT_INVITATIONS: UNLIMITED,
    // For the benchmark `notify`, whose receiver is on this machine.
    SENTINEL_WEBHOOK_PRIVATE_TARGETS: 'yes',
    ...(cluster === undefined ? {} : variablesOf(cluster)),
  });

const variablesOf = ({ brokers, mongodbUrl }) => ({
  SENTINEL_KAFKA_BROKERS: brokers.join(','),
  SENTINEL_MONGODB_URL: mongodbUrl,
  SENTINEL_WALLET: 'dev',
  SENTINEL_MAIL: 'dev',
  SENTINEL_LEDGER: 'dev',
});
