import { LIMITS, ReportAcceptedSchema, ReportSchema } from '@sentinel-node/contracts';
import { ApiError } from '@sentinel-node/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { appendDurably } from '../append.ts';
import { noticeStamp, type Core } from '../core.ts';
import type { DeviceAddress } from '../devices.ts';
import { refusalOfFile, refusalOfReport, reportRecord } from '../domain/accept.ts';
import type { DeviceSnapshot } from '../domain/device-snapshot.ts';
import { malformedNotice } from '../domain/notices.ts';
import { checkReport, type Checked } from '../report-check.ts';
import { addressOf, DESCRIBED_ONLY, errorOf, pass, withBody, type DeviceParams } from './device-call.ts';
import { textOf } from './read-body.ts';

type Params = DeviceParams & { readonly fileId: string };

/** POST /files/{orgId}/{deviceId}/{fileId}: one report, 202 once it is durable. */
export function reportRoute(app: FastifyInstance, core: Core): void {
  const schema = {
    tags: ['Agents'],
    summary: 'Sends one report of a file',
    body: ReportSchema,
    response: { 202: ReportAcceptedSchema },
  };
  app.post<{ Params: Params }>(
    '/files/:orgId/:deviceId/:fileId',
    { ...DESCRIBED_ONLY, schema, config: { access: 'deviceKey' } },
    async (request, reply) => {
      try {
        const accepted = await takeReport(core, request, reply);
        core.counts.reports({ code: 'ACCEPTED' });
        return reply.code(202).type('application/json; charset=utf-8').send(accepted);
      } catch (error) {
        const { code } = error as { readonly code?: unknown };
        core.counts.reports({ code: String(code) });
        throw error;
      }
    },
  );
}

async function takeReport(
  core: Core,
  request: FastifyRequest<{ Params: Params }>,
  reply: FastifyReply,
): Promise<string> {
  const { params } = request;
  const address = addressOf(request, params);
  const device = core.devices.kept(address) ?? (await core.devices.fresh(address));
  pass(core.reportRate, device.entity.id);
  const limits = { bodies: core.bodies, maxBytes: LIMITS.reportBytes, gzip: false };
  return withBody(request, reply, limits, (body) => acceptBody(core, address, params.fileId, body));
}

async function acceptBody(
  core: Core,
  address: DeviceAddress,
  fileId: string,
  bytes: Buffer,
): Promise<string> {
  const device = await deviceOf(core, address, fileId);
  const file = device.files.get(fileId)!;
  const checked = checkReport(textOf(bytes));
  if (!checked.fits) throw await unfit(core, device, fileId, checked);
  const nowMs = core.deps.clock.now();
  const refusal = refusalOfReport(checked.value, nowMs);
  if (refusal !== undefined) throw errorOf(refusal);
  const { sequence } = checked.value;
  const record = reportRecord({
    device,
    file,
    sequence,
    source: bytes,
    start: 0,
    end: bytes.length,
    nowMs,
    nonce: core.nonces.next(),
    allocate: Buffer.allocUnsafe,
  });
  await appendDurably(core, [record]);
  return `{"fileId":"${file.id}","sequence":${sequence}}`;
}

/** The policy as it is now that the body is here: reading it can take long. @throws ApiError when the file takes no reports */
async function deviceOf(core: Core, address: DeviceAddress, fileId: string): Promise<DeviceSnapshot> {
  const kept = core.devices.kept(address);
  if (kept !== undefined && refusalOfFile(kept, kept.files.get(fileId)) === undefined) return kept;
  const fresh = await core.devices.fresh(address);
  const refusal = refusalOfFile(fresh, fresh.files.get(fileId));
  if (refusal !== undefined) throw errorOf(refusal);
  return fresh;
}

async function unfit(
  core: Core,
  device: DeviceSnapshot,
  fileId: string,
  { errors }: Extract<Checked<unknown>, { fits: false }>,
): Promise<ApiError> {
  const nowMs = core.deps.clock.now();
  if (core.malformed.take(fileId, nowMs)) {
    try {
      const notice = malformedNotice(device.entity, fileId, errors, noticeStamp(core, nowMs));
      await appendDurably(core, [notice]);
    } catch (error) {
      core.malformed.giveBack(fileId);
      throw error;
    }
  }
  return new ApiError('VALIDATION_FAILED', 'The report is not valid.', errors);
}
