import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from '../limits/pool.ts';
import { boundedLabels, labelCombinations, type LabelBounds } from './labels.ts';

export interface MetricSpec<L extends string> {
  /** Name without the prefix `sentinel_`; unit and `_total` follow Prometheus (`…_seconds`, `…_bytes`). */
  readonly name: string;
  readonly help: string;
  readonly labels?: LabelBounds<L>;
}

export interface HistogramSpec<L extends string> extends MetricSpec<L> {
  /** Upper bounds in the unit of the metric. */
  readonly buckets: readonly number[];
}

type Labels<L extends string> = Readonly<Record<L, string>>;

export interface Metrics {
  /** When all label values are listed, every series exists from the start, at 0. */
  counter<L extends string = never>(spec: MetricSpec<L>): (labels: Labels<L>, by?: number) => void;
  histogram<L extends string = never>(spec: HistogramSpec<L>): (labels: Labels<L>, value: number) => void;
  /** Returns the function that sets the value. */
  gauge<L extends string = never>(spec: MetricSpec<L>): (labels: Labels<L>, value: number) => void;
  /** Calls `read` when the metrics are requested; undefined: the value is not known, and there is no series. */
  observedGauge(spec: Omit<MetricSpec<never>, 'labels'>, read: () => number | undefined): void;
  /** Shows the use of a pool, and its limit if that is a number (docs/limits.md). */
  pool(pool: Pool, used: () => number): void;
  /** Calls `read` when the metrics are requested; shows only the first values, up to the number in `labels`. */
  observedTop<L extends string>(
    spec: Omit<MetricSpec<L>, 'labels'> & { readonly labels: Readonly<Record<L, number>> },
    read: () => readonly (readonly [string, number])[],
  ): void;
  /** Returns the Prometheus text exposition format. */
  text(): Promise<string>;
  readonly contentType: string;
}

const PREFIX = 'sentinel_';

/** Returns metrics with their own registry, so that several services, or tests, can share one process. */
export function createMetrics(service: string, options: { readonly processMetrics?: boolean } = {}): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (options.processMetrics ?? true) collectDefaultMetrics({ register: registry });
  const base = <L extends string>({ name, help, labels }: MetricSpec<L>) => ({
    bound: boundedLabels(labels),
    configuration: {
      name: PREFIX + name,
      help,
      labelNames: Object.keys(labels ?? {}),
      registers: [registry],
    },
  });
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    pool: observedPools(registry),
    counter: (spec) => {
      const { bound, configuration } = base(spec);
      const counter = new Counter(configuration);
      // Prometheus sees no increase in a series that starts at 1, and would miss a single event.
      for (const labels of labelCombinations(spec.labels)) counter.inc(labels, 0);
      return (labels, by = 1) => counter.inc(bound(labels), by);
    },
    histogram: (spec) => {
      const { bound, configuration } = base(spec);
      const histogram = new Histogram({ ...configuration, buckets: [...spec.buckets] });
      return (labels, value) => histogram.observe(bound(labels), value);
    },
    gauge: (spec) => {
      const { bound, configuration } = base(spec);
      const gauge = new Gauge(configuration);
      return (labels, value) => gauge.set(bound(labels), value);
    },
    observedGauge: (spec, read) => {
      const { configuration } = base<never>(spec);
      new Gauge({
        ...configuration,
        collect() {
          const value = read();
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    },
    observedTop: (spec, read) => {
      const [[label, most] = ['', 0]] = Object.entries<number>(spec.labels);
      new Gauge({
        ...base(spec).configuration,
        collect() {
          this.reset();
          for (const [value, amount] of read().slice(0, most)) this.set({ [label]: value }, amount);
        },
      });
    },
  };
}

interface PoolGauge {
  readonly name: string;
  readonly help: string;
  readonly labels: { readonly pool: string };
}

/**
 * Creates the two gauges of all pools with the first pool.
 * @boundedBy the rows of docs/limits.md
 */
function observedPools(registry: Registry): Metrics['pool'] {
  const observed = new Map<Pool, () => number>();
  const gauge = ({ name, help, labels }: PoolGauge, read: (pool: Pool) => number | undefined): void => {
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames: Object.keys(labels),
      registers: [registry],
      collect() {
        for (const pool of observed.keys()) {
          const value = read(pool);
          if (value !== undefined) this.set({ pool: pool.name }, value);
        }
      },
    });
  };
  const labels = { pool: 'its name in docs/limits.md' };
  return (pool, used) => {
    if (observed.size === 0) {
      gauge({ name: 'pool_used', help: 'How much of a pool is in use, in its unit', labels }, (one) =>
        observed.get(one)!(),
      );
      gauge({ name: 'pool_limit', help: 'How much of a pool there is, in its unit', labels }, ({ whole }) =>
        typeof whole === 'number' ? whole : undefined,
      );
    }
    observed.set(pool, used);
  };
}
