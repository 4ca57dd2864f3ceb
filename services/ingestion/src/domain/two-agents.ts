interface Sighting {
  readonly instanceId: string;
  readonly atMs: number;
}

/** A restarted agent has a new instance id; only an id that comes back after another id shows a second agent. */
const INSTANCES_PER_DEVICE = 4;
const INTERVALS = 3;
const MS_PER_SECOND = 1_000;

/** Instances of a device by last sighting, the newest last. */
export type Instances = readonly Sighting[];

export interface Seen {
  readonly instances: Instances;
  /** True when another instance reported since this one's last report, within three health intervals. */
  readonly alternating: boolean;
}

/** Records an instance that was seen here now. */
export function recordInstance(
  instances: Instances,
  instanceId: string,
  nowMs: number,
  healthIntervalSeconds: number,
): Seen {
  const oldest = nowMs - INTERVALS * healthIntervalSeconds * MS_PER_SECOND;
  const recent = instances.filter(({ atMs }) => atMs >= oldest);
  const others = recent.filter((seen) => seen.instanceId !== instanceId);
  const wasLast = recent.at(-1)?.instanceId === instanceId;
  return {
    instances: [...others, { instanceId, atMs: nowMs }].slice(-INSTANCES_PER_DEVICE),
    alternating: !wasLast && others.length < recent.length,
  };
}

/** Records an instance that was seen elsewhere, before the first heartbeat of the one that was seen last here. */
export function recordEarlierInstance(
  instances: Instances,
  instanceId: string,
  nowMs: number,
  healthIntervalSeconds: number,
): Instances {
  const before = recordInstance(instances.slice(0, -1), instanceId, nowMs, healthIntervalSeconds);
  return [...before.instances, ...instances.slice(-1)].slice(-INSTANCES_PER_DEVICE);
}
