/** Judges the heartbeats of a device by those before, whichever process received them (decision 080). */
import type { Heartbeat } from '@sentinel-node/contracts';
import { deliveryAtStart, recordDelivery, type Delivery } from './deliveries.ts';
import { recordEarlierInstance, recordInstance, type Instances } from './two-agents.ts';

/** Remembered instances of a device: twins, and those before the last restarts. */
const AGENTS_PER_DEVICE = 8;
/** How much longer the earlier of two heartbeats may be on its way, in ms. */
const WAY_MS = 5_000;
/** How long a proxy holds a heartbeat up at most, in ms: one that is older yet is of a clock that was set back. */
const HELD_UP_MS = 120_000;
/** Clocks of processes may differ by as much without a word about it in the record, in ms. */
const AT_ONCE_MS = 60_000;

/** An instance of the agent of a device. */
interface HeardAgent {
  readonly instanceId: string;
  /** When its first and its last kept heartbeat were sent, by the agent's clock, ms. */
  readonly firstTimestampMs: number;
  readonly timestampMs: number;
  readonly delivery: Delivery;
  /** Its last heartbeat, if that was refused as older. */
  readonly refused?: RefusedHeartbeat | undefined;
}

interface RefusedHeartbeat {
  readonly timestampMs: number;
  readonly atMs: number;
}

/** The facts that a process keeps of the heartbeats of a device. */
export interface HeardDevice {
  /** Highest time of receipt of a kept heartbeat, ms. */
  readonly receivedAt: number;
  readonly healthIntervalSeconds: number;
  /** The newest last. */
  readonly agents: readonly HeardAgent[];
  readonly instances: Instances;
}

/** The conclusions from a heartbeat and those before it. */
export interface Heard {
  /** Time of receipt to keep the heartbeat with, ms. */
  readonly receivedAt: number;
  /** Time of receipt, ms, when that is far before `receivedAt`. */
  readonly at: number | undefined;
  /** Two agents of the device alternate. */
  readonly isAlternating: boolean;
  /** As in `Undelivered`. */
  readonly isStuck: boolean;
  readonly setAside: number;
}

/** `heard` is undefined when the heartbeat is older than the last one of its agent; then it is not to be kept. */
export interface Hearing {
  readonly device: HeardDevice;
  readonly heard: Heard | undefined;
}

/**
 * Records a heartbeat that arrived here; what was set aside counts as told. Its time of receipt is above those before, though the
 * clocks of processes differ: the highest one is shown. A heartbeat that is older than the last of its agent was held up on its way, and
 * must not replace what came since; or the agent's clock went back. The agent then sends another one after the refusal, and that one is
 * kept.
 * @param revisionMs `nowMs`, or above the times that a clock gave which was ahead
 */
export function hear(
  before: HeardDevice | undefined,
  heartbeat: Heartbeat,
  nowMs: number,
  healthIntervalSeconds: number,
  revisionMs = nowMs,
): Hearing {
  const { instanceId } = heartbeat;
  const known = agentOf(before, instanceId);
  const timestampMs = Date.parse(heartbeat.timestamp);
  if (before !== undefined && known !== undefined && isLate(known, timestampMs, nowMs)) {
    const agents = withAgent(before, { ...known, refused: { timestampMs, atMs: nowMs } });
    return { device: { ...before, agents }, heard: undefined };
  }
  const receivedAt = before === undefined ? revisionMs : Math.max(revisionMs, before.receivedAt + 1);
  const { agent, isStuck, setAside } = heardAgent(before, heartbeat, nowMs, healthIntervalSeconds);
  const seen = recordInstance(before?.instances ?? [], instanceId, nowMs, healthIntervalSeconds);
  return {
    device: {
      ...{ receivedAt, healthIntervalSeconds },
      agents: withAgent(before, agent),
      instances: seen.instances,
    },
    heard: {
      ...{ receivedAt, at: receivedAt - nowMs > AT_ONCE_MS ? nowMs : undefined },
      ...{ isAlternating: seen.alternating, isStuck, setAside },
    },
  };
}

/**
 * Records a heartbeat that another process kept, at `nowMs` by this process's clock. It can come here after the first heartbeat of an
 * instance that was started later.
 */
export function hearElsewhere(
  before: HeardDevice,
  heartbeat: Heartbeat,
  receivedAt: number,
  nowMs: number,
): HeardDevice {
  const { healthIntervalSeconds } = before;
  const { agent } = heardAgent(before, heartbeat, nowMs, healthIntervalSeconds);
  return {
    receivedAt: Math.max(receivedAt, before.receivedAt),
    healthIntervalSeconds,
    agents: withAgent(before, agent),
    instances: seenElsewhere(before, agent, nowMs),
  };
}

function seenElsewhere(
  before: HeardDevice,
  { instanceId, timestampMs }: HeardAgent,
  nowMs: number,
): Instances {
  const last = agentOf(before, before.instances.at(-1)?.instanceId);
  const isEarlier = last !== undefined && timestampMs < last.firstTimestampMs;
  const { instances, healthIntervalSeconds } = before;
  return isEarlier
    ? recordEarlierInstance(instances, instanceId, nowMs, healthIntervalSeconds)
    : recordInstance(instances, instanceId, nowMs, healthIntervalSeconds).instances;
}

/** Returns the device after a notice of reports that were set aside could not be kept. @param told number told before */
export function withTold(device: HeardDevice, instanceId: string, told: number): HeardDevice {
  const agents = device.agents.map((agent) =>
    agent.instanceId === instanceId
      ? { ...agent, delivery: { ...agent.delivery, toldSetAside: told } }
      : agent,
  );
  return { ...device, agents };
}

function heardAgent(
  before: HeardDevice | undefined,
  heartbeat: Heartbeat,
  nowMs: number,
  healthIntervalSeconds: number,
) {
  const { instanceId, setAside: toldSetAside = 0 } = heartbeat;
  const timestampMs = Date.parse(heartbeat.timestamp);
  const known = agentOf(before, instanceId);
  const { delivery, isStuck, setAside } = recordDelivery(
    known?.delivery ?? deliveryAtStart(before?.agents.at(-1)?.delivery),
    heartbeat,
    nowMs,
    healthIntervalSeconds,
  );
  const agent: HeardAgent = {
    ...{ instanceId, timestampMs },
    firstTimestampMs: Math.min(known?.firstTimestampMs ?? timestampMs, timestampMs),
    delivery: { ...delivery, toldSetAside },
  };
  return { agent, isStuck, setAside };
}

/**
 * Returns whether a heartbeat of this time is older than the last by as much as it may have been held up, and was not sent
 * after the refusal of such a one.
 */
function isLate({ timestampMs: lastMs, refused }: HeardAgent, timestampMs: number, nowMs: number): boolean {
  if (timestampMs >= lastMs || lastMs - timestampMs > HELD_UP_MS) return false;
  if (refused === undefined) return true;
  const laterMs = timestampMs - refused.timestampMs;
  return laterMs <= 0 || laterMs > nowMs - refused.atMs + WAY_MS;
}

const agentOf = (device: HeardDevice | undefined, instanceId: string | undefined): HeardAgent | undefined =>
  device?.agents.find((agent) => agent.instanceId === instanceId);

function withAgent(device: HeardDevice | undefined, agent: HeardAgent): readonly HeardAgent[] {
  const others = (device?.agents ?? []).filter(({ instanceId }) => instanceId !== agent.instanceId);
  return [...others, agent].slice(-AGENTS_PER_DEVICE);
}
