// Names that the code gives, as the tests of containers and manifests compare them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../../services/platform/dist/src/config/variables.js';
import { createMetrics } from '../../services/platform/dist/src/index.js';
import { root } from '../lib/prepare.mjs';

export { CLUSTER_TOPICS } from '../../services/platform/dist/src/topology.js';

export const CONFIG_VARIABLE_NAMES = Object.values(VARIABLES).map(({ name }) => name);

const OF_HISTOGRAM = ['_bucket', '_sum', '_count'];
const MADE = /\b(counter|gauge|observedGauge|histogram)(?:<[^>]*>)?\(\s*\{\s*name: '([a-z_]+)'/g;

/** Every metric that a service makes, as /metrics names it: our own from the sources, the process's from a registry. */
export async function metricNames() {
  const text = await createMetrics('names').text();
  const process = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({ name, type }));
  const own = sources().flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(MADE)].map(([, type, name]) => ({
      name: `sentinel_${name}`,
      type,
    })),
  );
  return new Set(
    [...process, ...own].flatMap(({ name, type }) =>
      type === 'histogram' ? OF_HISTOGRAM.map((ending) => name + ending) : [name],
    ),
  );
}

function sources() {
  return readdirSync(join(root, 'services')).flatMap((service) => {
    const folder = join(root, 'services', service, 'src');
    return readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('fakes'))
      .map((name) => join(folder, name));
  });
}
