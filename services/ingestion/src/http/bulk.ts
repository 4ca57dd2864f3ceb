import { BulkAnswerSchema, BulkLineSchema, LIMITS, type BulkAnswer } from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BulkRun } from '../bulk-run.ts';
import type { Core } from '../core.ts';
import { bulkLines } from '../domain/bulk-lines.ts';
import { addressOf, DESCRIBED_ONLY, pass, withBody, type DeviceParams } from './device-call.ts';

/** POST /files/bulk/{orgId}/{deviceId}: a report a line, gzip allowed; 202 says what became of each line. */
export function bulkRoute(app: FastifyInstance, core: Core): void {
  const schema = {
    tags: ['Agents'],
    summary: 'Sends many reports, one a line (application/x-ndjson)',
    consumes: ['application/x-ndjson'],
    body: BulkLineSchema,
    response: { 202: BulkAnswerSchema },
  };
  app.post<{ Params: DeviceParams }>(
    '/files/bulk/:orgId/:deviceId',
    { ...DESCRIBED_ONLY, schema, config: { access: 'deviceKey' } },
    async (request, reply) => {
      void reply.code(202);
      return takeBulk(core, request, reply);
    },
  );
}

async function takeBulk(
  core: Core,
  request: FastifyRequest<{ Params: DeviceParams }>,
  reply: FastifyReply,
): Promise<BulkAnswer> {
  const address = addressOf(request, request.params);
  const { entity } = core.devices.kept(address) ?? (await core.devices.fresh(address));
  // Each line takes its own share; a device that has none left need not send the body.
  if (core.reportRate.take(entity.id, 0).remaining < 1) pass(core.reportRate, entity.id);
  const limits = { bodies: core.bodies, maxBytes: LIMITS.bulkBytes, gzip: true };
  return withBody(request, reply, limits, async (body) => {
    const lines = bulkLines(body, LIMITS.bulkLines);
    if (lines === undefined) throw new ApiError('PAYLOAD_TOO_LARGE', `At most ${LIMITS.bulkLines} lines.`);
    // The policy as it is now that the body is here: reading it can take long.
    const device = core.devices.kept(address) ?? (await core.devices.fresh(address));
    const run = new BulkRun(core, address, device, body);
    try {
      return await run.run(lines);
    } finally {
      for (const [code, count] of run.outcome.counts()) core.counts.reports({ code }, count);
    }
  });
}
