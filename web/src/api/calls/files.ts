import {
  AgentConfigurationSchema,
  EmptySchema,
  FileHistorySchema,
  FileSchema,
  LinksSchema,
  ProofSchema,
  type ChainRequest,
} from '@sentinel-node/contracts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export interface FileKey {
  orgId: Id;
  deviceId: Id;
  fileId: Id;
}

export const fileCalls = (http: Http) => ({
  getFile: (key: FileKey, signal?: AbortSignal) =>
    http.call({
      name: 'getFile',
      path: '/files/{orgId}/{deviceId}/{fileId}',
      params: { ...key },
      answer: FileSchema,
      ...(signal && { signal }),
    }),
  getFileHistory: (key: FileKey, signal?: AbortSignal) =>
    http.call({
      name: 'getFileHistory',
      path: '/files/history/{orgId}/{deviceId}/{fileId}',
      params: { ...key },
      answer: FileHistorySchema,
      ...(signal && { signal }),
    }),
  exportFileEvents: (key: FileKey) =>
    http.download(
      {
        name: 'exportFileEvents',
        path: '/events/{orgId}/{deviceId}/{fileId}',
        params: { ...key },
        query: { toExport: true },
      },
      'text/csv',
    ),
  getChain: (key: FileKey, body: ChainRequest, signal?: AbortSignal) =>
    http.call({
      name: 'getChain',
      method: 'PUT',
      isRead: true,
      path: '/files/chain/{orgId}/{deviceId}/{fileId}',
      params: { ...key },
      body,
      bodyName: 'body',
      answer: LinksSchema,
      ...(signal && { signal }),
    }),
  getProof: (key: FileKey & { linkId: Id }, signal?: AbortSignal) =>
    http.call({
      name: 'getProof',
      path: '/proofs/{orgId}/{deviceId}/{fileId}/{linkId}',
      params: { ...key },
      answer: ProofSchema,
      isDocument: true,
      ...(signal && { signal }),
    }),
  /** Downloads a bundle unchanged, at most 8 MiB; without `to`, up to the newest entry. */
  getBundle: (key: FileKey, range: { from: number; to?: number }) =>
    http.download(
      {
        name: 'getBundle',
        path: '/proofs/{orgId}/{deviceId}/{fileId}',
        params: { ...key },
        query: { ...range },
      },
      'application/json',
    ),
  deleteFile: (key: FileKey) =>
    http.call({
      name: 'deleteFile',
      method: 'DELETE',
      path: '/files/{orgId}/{deviceId}/{fileId}',
      params: { ...key },
      answer: EmptySchema,
    }),
  getConfiguration: (orgId: Id, deviceId: Id) =>
    http.call({
      name: 'getConfiguration',
      path: '/devices/config/{orgId}/{deviceId}',
      params: { orgId, deviceId },
      answer: AgentConfigurationSchema,
      isDocument: true,
    }),
});
