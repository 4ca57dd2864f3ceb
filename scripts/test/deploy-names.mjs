// Names from the code that the tests of containers and manifests compare.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VARIABLES } from '../../services/platform/dist/src/config/variables.js';
import { createMetrics } from '../../services/platform/dist/src/index.js';
import { root } from '../lib/prepare.mjs';

export { GROUPS } from '../../contracts/dist/src/index.js';
export { MEMBERS_ALONE } from '../../services/chain-verifier/dist/src/index.js';
export { CLUSTER_TOPICS } from '../../services/platform/dist/src/topology.js';

export const CONFIG_VARIABLE_NAMES = Object.values(VARIABLES).map(({ name }) => name);

const OF_HISTOGRAM = ['_bucket', '_sum', '_count'];
const MADE =
  /\b(counter|gauge|observedGauge|observedTop|histogram)(?:<[^>]*>)?\(\s*\{\s*name: '([a-z_]+)'([^]*?)\}\s*[,)]/g;

/**
 * Every metric that a service makes: our own from the sources, the process's from a registry.
 * `names` as /metrics shows them; `labels` of each; `own` without the endings of histograms; `sources` as one text.
 */
export async function metricNames() {
  const text = await createMetrics('names').text();
  const process = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({
    name,
    type,
    labels: [],
  }));
  const code = sources().map((file) => readFileSync(file, 'utf8'));
  const own = code.flatMap((source) =>
    [...source.matchAll(MADE)].map(([, type, name, rest]) => ({
      name: `sentinel_${name}`,
      type,
      labels: [...(/labels: \{([^}]*)/.exec(rest)?.[1] ?? '').matchAll(/(\w+):/g)].map(([, label]) => label),
    })),
  );
  const shown = [...process, ...own].flatMap(({ name, type, labels }) =>
    (type === 'histogram' ? OF_HISTOGRAM : ['']).map((ending) => [name + ending, labels]),
  );
  return {
    names: new Set(shown.map(([name]) => name)),
    labels: new Map(shown),
    own: [...new Set(own.map(({ name }) => name))],
    sources: code.join('\n'),
  };
}

function sources() {
  const packages = ['contracts', ...readdirSync(join(root, 'services')).map((name) => `services/${name}`)];
  return packages.flatMap((name) => {
    const folder = join(root, name, 'src');
    return readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('fakes'))
      .map((name) => join(folder, name));
  });
}
