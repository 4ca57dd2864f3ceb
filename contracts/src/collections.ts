/** Names of collections that several services use. */
export const COLLECTIONS = {
  /** Written by query (registry commands), read by ingestion. */
  streams: 'streams',
  /** Written by query: who has which name, address and wallet identity. */
  reservations: 'reservations',
  /** Written by chain-verifier. */
  heads: 'heads',
  /** Written by query's projector, read by ingestion for heartbeats. Document: FileState with id = fileId, rev. */
  fileStates: 'file_states',
} as const;
