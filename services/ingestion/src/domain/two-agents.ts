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
