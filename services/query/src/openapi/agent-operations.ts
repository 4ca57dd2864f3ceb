import { agentConfiguration, EXAMPLE, report } from './examples.ts';
import type { Operations } from './operation.ts';

const AT = report.timestamp;
const line = { fileId: EXAMPLE.fileId, ...report };

/** Calls of agents; ingestion answers them. */
export const agentOperations: Operations = {
  'POST /files/:orgId/:deviceId/:fileId': {
    summary: 'Takes one report of a file',
    description: 'Answered once the report is durable. The rules of reports are in docs/protocol.md.',
    body: report,
    answer: { fileId: EXAMPLE.fileId, sequence: report.sequence },
    refuses: ['MONITORING_DISABLED', 'SEQUENCE_AHEAD', 'REQUEST_TIMEOUT'],
  },
  'POST /files/bulk/:orgId/:deviceId': {
    summary: 'Takes many reports, one a line; gzip is allowed',
    description: 'At most 10,000 lines or 16 MiB. Lines are judged one by one.',
    body: `${JSON.stringify(line)}\n`,
    answer: { accepted: 1, rejected: [] },
    refuses: ['REQUEST_TIMEOUT'],
  },
  'POST /devices/health/:orgId/:deviceId': {
    summary: 'Takes a heartbeat and tells where each file stands',
    body: {
      timestamp: AT,
      instanceId: '5f0c9a4e-1d2b-4c3e-9f8a-7b6c5d4e3f21',
      agentVersion: '0.1.0',
      queue: 0,
      oldestUnsent: null,
      files: [{ id: EXAMPLE.fileId, checkedAt: AT }],
    },
    answer: {
      configVersion: 2,
      serverTime: AT,
      files: [
        {
          id: EXAMPLE.fileId,
          lastSequence: report.sequence,
          length: 1_100,
          hash: report.versions[1].hash,
          number: 2,
          linkHash: report.versions[0].hash,
        },
      ],
    },
    refuses: ['REQUEST_TIMEOUT'],
  },
  'GET /devices/config/:orgId/:deviceId': {
    summary: 'What the agent of a device runs by',
    description:
      'The `ETag` carries the `configVersion` that reports name. With `Prefer: attributes` (RFC 7240) it also names the files whose reports are to carry attributes.',
    answer: agentConfiguration,
    etag: true,
  },
};
