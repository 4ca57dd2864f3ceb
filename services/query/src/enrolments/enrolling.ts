/** Lets an agent make its own device with an enrolment token. */
import {
  agentConfiguration,
  deviceStream,
  LIMITS,
  type DeviceEntity,
  type Enrol,
  type Enrolled,
  type EnrolmentEntity,
} from '@sentinel-node/contracts';
import { ApiError, loadStream, rateLimited, RateLimiter, Refusals } from '@sentinel-node/platform';
import { newUuid } from '../commands/new-uuid.ts';
import { addEnrolledDevice, type DeviceContext } from '../devices/index.ts';
import { enrolledName, enrolmentState, templateFiles, type RefusedUse } from '../registry/enrolment.ts';
import { commandEnrolment } from './commands.ts';
import { hashOf } from '../storage/secret-tokens.ts';
import { ENROLMENT_LIMITS } from './limits.ts';
import { ENROLMENT_TOKENS } from './token.ts';
import { loadEnrolment, REPEAT_MS, type EnrolmentUse, type EnrolmentUses } from './uses.ts';

const SECONDS_PER_MINUTE = 60;
/** Version of the API key that the device was made with. */
const FIRST_KEY = 1;

const DETAILS: Readonly<Record<Exclude<RefusedUse, 'WRONG_TOKEN' | 'LIMIT_REACHED'>, string>> = {
  ENDED: 'An administrator ended the token. Ask for a new one.',
  EXPIRED: 'The time of the token is over. Ask for a new one.',
  USED_UP: 'The token has made as many devices as it may. Ask for a new one.',
  DEVICE_GONE:
    'This key made a device before that was deleted or got another API key, or was used more than 24 hours ago. Take the configuration of the device from its page, or enrol with a new state folder.',
};

export class Enrolling {
  readonly #context: DeviceContext;
  readonly #uses: EnrolmentUses;
  readonly #wrong: Refusals;
  readonly #organizations: RateLimiter;
  readonly #count: (labels: { readonly result: Result }) => void;

  constructor(context: DeviceContext, uses: EnrolmentUses) {
    const { clock, metrics } = context;
    const { wrongTokensPerMinute, enrolmentsPerMinute: burst } = ENROLMENT_LIMITS;
    this.#context = context;
    this.#uses = uses;
    /** @pool wrong-enrolment-tokens */
    this.#wrong = new Refusals({ perMinute: wrongTokensPerMinute, clock });
    const limit = { perSecond: burst / SECONDS_PER_MINUTE, burst };
    /** @pool enrolments */
    this.#organizations = new RateLimiter({ limit, clock });
    this.#count = metrics.counter<'result'>({
      name: 'enrolments_total',
      help: 'Calls of agents that enrol',
      labels: { result: RESULTS },
    });
  }

  /**
   * @param ip address of the agent
   * @throws ApiError INVALID_ENROLMENT_TOKEN, ENROLMENT_ENDED, LIMIT_REACHED, RATE_LIMITED; CONFLICT when the agent
   * should call again with the same key
   */
  async enrol(request: Enrol, ip: string): Promise<Enrolled> {
    const enrolment = await this.#enrolment(request, ip);
    const taken = this.#organizations.take(enrolment.orgId);
    if (!taken.allowed)
      throw rateLimited(this.#organizations.limit, taken, 'Many devices of the organization are enrolling.');
    const { use, hasPlace } = await this.#use(enrolment, request);
    const device = await this.#device(enrolment, use, request, hasPlace);
    const { apiKeyOf, sentinelAddress } = this.#context;
    const configuration = agentConfiguration(device, apiKeyOf(device), sentinelAddress);
    return { deviceName: device.name, configuration };
  }

  async #enrolment({ token, name }: Enrol, ip: string): Promise<EnrolmentEntity> {
    const id = ENROLMENT_TOKENS.idOf(token);
    const found = await loadEnrolment(this.#context.store, id ?? 'none');
    if (ENROLMENT_TOKENS.matches(token, found?.tokenHash) && found !== undefined) return found;
    this.#count({ result: 'wrong_token' });
    const answer = this.#wrong.answer(ip, new ApiError('INVALID_ENROLMENT_TOKEN'));
    if (found !== undefined) await this.#recordRefusal(found, 'WRONG_TOKEN', name);
    throw answer;
  }

  /** Returns the use of the key, and whether the quota has a place for its device since a moment ago. */
  async #use(
    enrolment: EnrolmentEntity,
    { key, name }: Enrol,
  ): Promise<{ readonly use: EnrolmentUse; readonly hasPlace: boolean }> {
    const { clock, quota } = this.#context;
    if (enrolment.endedAt !== null) throw await this.#refused(enrolment, 'ENDED', name);
    const useId = `${enrolment.id}:${hashOf(key)}`;
    const before = await this.#uses.find(enrolment.id, useId);
    if (before !== undefined) return { use: before, hasPlace: false };
    const [{ used } = { used: 0 }] = await this.#uses.getMany([enrolment.id]);
    const state = enrolmentState(enrolment, used, clock.now());
    if (state !== 'USABLE') throw await this.#refused(enrolment, state, name);
    const deviceId = newUuid(this.#context);
    await this.#recordLimit(enrolment, name, () => quota.take(enrolment.orgId, deviceId));
    const use = await this.#uses.take(enrolment.id, useId, deviceId);
    if (typeof use === 'string') throw await this.#refused(enrolment, use, name);
    return { use, hasPlace: use.deviceId === deviceId };
  }

  async #device(
    enrolment: EnrolmentEntity,
    use: EnrolmentUse,
    { name }: Enrol,
    hasPlace: boolean,
  ): Promise<DeviceEntity> {
    const { store, clock, quota } = this.#context;
    const there = await loadStream<DeviceEntity>(store, deviceStream(use.deviceId));
    const isOver = there !== undefined && (there.entity.deleted || there.entity.keyVersion > FIRST_KEY);
    if (isOver || clock.now() >= use.at + REPEAT_MS)
      throw await this.#refused(enrolment, 'DEVICE_GONE', name);
    if (there !== undefined) {
      this.#count({ result: 'repeated' });
      return there.entity;
    }
    // An earlier call counted this use but broke off before it made the device; its reservation may have expired.
    if (!hasPlace) await this.#recordLimit(enrolment, name, () => quota.take(enrolment.orgId, use.deviceId));
    const { files, ...fields } = enrolment.template;
    const device = await addEnrolledDevice(this.#context, {
      id: use.deviceId,
      orgId: enrolment.orgId,
      fields: { ...fields, name: enrolledName(enrolment, name), monitoring: true },
      files: templateFiles(files, () => newUuid(this.#context)),
      enrolment: { name: enrolment.name, host: name },
    });
    this.#count({ result: 'enrolled' });
    return device;
  }

  /** Runs `reserve` and records an event when the quota of devices is reached. */
  async #recordLimit(enrolment: EnrolmentEntity, name: string, reserve: () => Promise<void>): Promise<void> {
    try {
      await reserve();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'LIMIT_REACHED') {
        this.#count({ result: 'refused' });
        await this.#recordRefusal(enrolment, 'LIMIT_REACHED', name);
      }
      throw error;
    }
  }

  async #refused(enrolment: EnrolmentEntity, code: keyof typeof DETAILS, name: string): Promise<ApiError> {
    this.#count({ result: 'refused' });
    await this.#recordRefusal(enrolment, code, name);
    return new ApiError('ENROLMENT_ENDED', { detail: DETAILS[code] });
  }

  async #recordRefusal({ orgId, id }: EnrolmentEntity, code: RefusedUse, name: string): Promise<void> {
    const host = name.slice(0, LIMITS.nameCharacters);
    await commandEnrolment(this.#context, orgId, null, id, { type: 'REFUSE', code, host });
  }
}

const RESULTS = ['enrolled', 'repeated', 'refused', 'wrong_token'] as const;
type Result = (typeof RESULTS)[number];
