/** Names of the collections that more than one service touches; who writes them stands behind. */
export const COLLECTIONS = {
  /** query (registry commands); ingestion reads. */
  streams: 'streams',
  /** chain-verifier. */
  heads: 'heads',
  /** query's projector; ingestion reads for the heartbeat's answer. Document: FileState with id = fileId, rev. */
  fileStates: 'file_states',
} as const;
