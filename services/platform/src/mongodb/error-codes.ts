/**
 * Server error codes that this adapter knows, with MongoDB's own names
 * (https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml). Other codes are permanent.
 *
 * - `passing`: the same call can succeed later. A write may or may not have happened.
 * - `overloaded`: the server refuses new work for now. Of a write that is `passing`: an earlier attempt may have happened.
 * - `conflict`: another writer was first.
 * - `permanent`: the call, the rights or the server's settings are wrong; listed where a reader might expect
 * `passing`.
 */
export type ErrorKind = 'passing' | 'overloaded' | 'conflict' | 'permanent';

type Row = readonly [code: number, name: string, kind: ErrorKind];

export const ERROR_CODES: readonly Row[] = [
  [6, 'HostUnreachable', 'passing'],
  [7, 'HostNotFound', 'passing'],
  [13, 'Unauthorized', 'permanent'],
  // The password was changed on the server but not yet here, or the other way round.
  [18, 'AuthenticationFailed', 'passing'],
  [24, 'LockTimeout', 'passing'],
  [43, 'CursorNotFound', 'passing'],
  [46, 'LockBusy', 'passing'],
  [50, 'MaxTimeMSExpired', 'passing'],
  [61, 'ShardKeyNotFound', 'permanent'],
  [64, 'WriteConcernTimeout', 'passing'],
  // A shard is being added or removed, and the router does not know it yet.
  [70, 'ShardNotFound', 'passing'],
  [89, 'NetworkTimeout', 'passing'],
  [91, 'ShutdownInProgress', 'passing'],
  [94, 'NotYetInitialized', 'passing'],
  [100, 'UnsatisfiableWriteConcern', 'passing'],
  [107, 'LockFailed', 'passing'],
  [112, 'WriteConflict', 'passing'],
  [117, 'ConflictingOperationInProgress', 'passing'],
  [133, 'FailedToSatisfyReadPreference', 'passing'],
  [134, 'ReadConcernMajorityNotAvailableYet', 'passing'],
  [149, 'NoConfigPrimary', 'passing'],
  [150, 'StaleEpoch', 'passing'],
  // The collection was replaced while a query ran.
  [175, 'QueryPlanKilled', 'passing'],
  [189, 'PrimarySteppedDown', 'passing'],
  [202, 'NetworkInterfaceExceededTimeLimit', 'passing'],
  [203, 'ShardingStateNotInitialized', 'passing'],
  // The keys that sign cluster times are missing after an election, or were rotated.
  [211, 'KeyNotFound', 'passing'],
  [215, 'DatabaseDropPending', 'passing'],
  [216, 'ElectionInProgress', 'passing'],
  [237, 'CursorKilled', 'passing'],
  [246, 'SnapshotUnavailable', 'passing'],
  [249, 'StaleDbVersion', 'passing'],
  [262, 'ExceededTimeLimit', 'passing'],
  [276, 'IndexBuildAborted', 'passing'],
  [278, 'UnsatisfiableCommitQuorum', 'passing'],
  [285, 'IndexBuildAlreadyInProgress', 'passing'],
  [290, 'TransactionExceededLifetimeLimitSeconds', 'passing'],
  [314, 'ObjectIsBusy', 'passing'],
  [317, 'ConnectionPoolExpired', 'passing'],
  [334, 'MechanismUnavailable', 'permanent'],
  [355, 'InterruptedDueToStorageChange', 'passing'],
  [365, 'TemporarilyUnavailable', 'passing'],
  [371, 'UserWritesBlocked', 'passing'],
  [384, 'ConnectionError', 'passing'],
  [402, 'ResourceExhausted', 'passing'],
  [406, 'MigrationBlockingOperationCoordinatorCleaningUp', 'passing'],
  [407, 'PooledConnectionAcquisitionExceededTimeLimit', 'passing'],
  [412, 'UpdatesStillPending', 'passing'],
  [433, 'AdmissionQueueOverflow', 'overloaded'],
  [449, 'RateLimitExceeded', 'overloaded'],
  [450, 'PooledConnectionAcquisitionRejected', 'overloaded'],
  [453, 'InterruptedDueToReshardingCriticalSection', 'passing'],
  [462, 'IngressRequestRateLimitExceeded', 'overloaded'],
  // Atlas's proxy: a refused user, a limit of its plan, or a server that it has lost.
  [8_000, 'AtlasError', 'passing'],
  [9_001, 'SocketException', 'passing'],
  [10_058, 'LegacyNotPrimary', 'passing'],
  [10_107, 'NotWritablePrimary', 'passing'],
  [11_000, 'DuplicateKey', 'conflict'],
  [11_600, 'InterruptedAtShutdown', 'passing'],
  [11_601, 'Interrupted', 'passing'],
  [11_602, 'InterruptedDueToReplStateChange', 'passing'],
  [13_388, 'StaleConfig', 'passing'],
  [13_435, 'NotPrimaryNoSecondaryOk', 'passing'],
  [13_436, 'NotPrimaryOrSecondary', 'passing'],
  [14_031, 'OutOfDiskSpace', 'passing'],
  [46_841, 'ClientMarkedKilled', 'passing'],
  [91_331, 'RetriableRemoteCommandFailure', 'passing'],
  [10_045_600, 'InterruptedDueToFCVChange', 'passing'],
];

/**
 * Labels that servers and the driver put on errors; they take precedence over the code. A server newer than this
 * table labels errors that may be retried.
 */
export const ERROR_LABELS: Readonly<Record<string, ErrorKind>> = {
  SystemOverloadedError: 'overloaded',
  RetryableWriteError: 'passing',
  TransientTransactionError: 'passing',
  RetryableError: 'passing',
};

const KINDS: ReadonlyMap<number, ErrorKind> = new Map(ERROR_CODES.map(([code, , kind]) => [code, kind]));

export function kindOfCode(code: number): ErrorKind {
  return KINDS.get(code) ?? 'permanent';
}
