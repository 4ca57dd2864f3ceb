/** Keeps the heartbeats of a device in order, whichever process receives them (decision 080). */
import type { Heartbeat } from '@sentinel-node/contracts';

/** Remembered instances of a device: twins, and those before the last restarts. */
const AGENTS_PER_DEVICE = 8;
/** How much longer the earlier of two heartbeats may be on its way, in ms. */
const WAY_MS = 5_000;

/** An instance of the agent of a device. */
export interface HeardAgent {
  readonly instanceId: string;
  /** When its last kept heartbeat was sent, by the agent's clock, ms. */
  readonly timestampMs: number;
  /** Its last heartbeat, if that was refused as older. */
  readonly refused?: RefusedHeartbeat | undefined;
}

interface RefusedHeartbeat {
  readonly timestampMs: number;
  readonly atMs: number;
}

/** What a process knows of the heartbeats of a device. */
export interface HeardDevice {
  /** Highest time of receipt of a kept heartbeat, ms. */
  readonly receivedAt: number;
  /** The newest last. */
  readonly agents: readonly HeardAgent[];
}

export interface Heard {
  readonly device: HeardDevice;
  /** True when the heartbeat is older than the last one of its agent; then it is not to be kept. */
  readonly isLate: boolean;
}

/**
 * Records a heartbeat that arrived here. Its time of receipt is above those before, though the clocks of processes differ: the
 * highest one is shown. One that is older than the last of its agent was held up on its way, and must not replace what came since; or the
 * agent's clock went back. The agent then sends another one after the refusal, and that one is kept.
 */
export function hear(before: HeardDevice | undefined, heartbeat: Heartbeat, nowMs: number): Heard {
  const timestampMs = Date.parse(heartbeat.timestamp);
  const known = agentOf(before, heartbeat);
  if (before !== undefined && known !== undefined && isLate(known, timestampMs, nowMs)) {
    const refused = { timestampMs, atMs: nowMs };
    return { device: { ...before, agents: withAgent(before, { ...known, refused }) }, isLate: true };
  }
  const receivedAt = before === undefined ? nowMs : Math.max(nowMs, before.receivedAt + 1);
  const agents = withAgent(before, { instanceId: heartbeat.instanceId, timestampMs });
  return { device: { receivedAt, agents }, isLate: false };
}

/** Records a heartbeat that another process kept. */
export function hearElsewhere(before: HeardDevice, heartbeat: Heartbeat, receivedAt: number): HeardDevice {
  const timestampMs = Date.parse(heartbeat.timestamp);
  const agents = withAgent(before, { instanceId: heartbeat.instanceId, timestampMs });
  return { receivedAt: Math.max(receivedAt, before.receivedAt), agents };
}

/** Returns whether a heartbeat of this time is older than the last, and was not sent after the refusal of such a one. */
function isLate({ timestampMs: lastMs, refused }: HeardAgent, timestampMs: number, nowMs: number): boolean {
  if (timestampMs >= lastMs) return false;
  if (refused === undefined) return true;
  const laterMs = timestampMs - refused.timestampMs;
  return laterMs <= 0 || laterMs > nowMs - refused.atMs + WAY_MS;
}

const agentOf = (device: HeardDevice | undefined, { instanceId }: Heartbeat): HeardAgent | undefined =>
  device?.agents.find((agent) => agent.instanceId === instanceId);

function withAgent(device: HeardDevice | undefined, agent: HeardAgent): readonly HeardAgent[] {
  const others = (device?.agents ?? []).filter(({ instanceId }) => instanceId !== agent.instanceId);
  return [...others, agent].slice(-AGENTS_PER_DEVICE);
}
