import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { CLUSTER_TOPICS, CONFIG_VARIABLE_NAMES, GROUPS } from './deploy-names.mjs';
import { matchList } from '../../services/test-kit/dist/src/matching/index.js';
import { allManifests, composeFile, read, root, SERVICES, startOf } from './deploy-support.mjs';

const runbook = read('deploy/runbook.md');
const { scripts } = JSON.parse(read('package.json'));
const sentinel = (...args) =>
  spawnSync(process.execPath, ['services/agent/bin/sentinel.mjs', ...args], { cwd: root, encoding: 'utf8' });

t.test('every command in the runbook is one', async (t) => {
  const used = [...runbook.matchAll(/(?:npx sentinel|sentinel\.mjs) ([a-z-]+)((?: --?[a-z-]+| [a-z]+)*)/g)];
  const names = new Set(used.map(([, name]) => name));
  for (const name of ['topics', 'audit', 'dead-letters', 'rebuild', 'backup', 'restore'])
    t.ok(names.has(name), `${name} is in the runbook`);
  const help = new Map();
  for (const name of names) {
    const { status, stdout } = sentinel(name, '--help');
    t.equal(status, 0, `sentinel ${name}`);
    help.set(name, stdout);
  }
  for (const [, name, rest] of used)
    for (const [option] of rest.matchAll(/--[a-z-]+/g))
      t.ok(help.get(name).includes(option), `${name} ${option}`);
  for (const [, name] of runbook.matchAll(/npm run ([a-z:-]+)/g)) t.ok(name in scripts, `npm run ${name}`);
});

t.test('what the runbook names exists', async (t) => {
  const all = (pattern) => {
    const found = [...runbook.matchAll(pattern)];
    t.ok(found.length > 0, `${pattern} finds something`);
    return found;
  };
  const tried = read('scripts/try-backends.mjs');
  const variables = new Set([...CONFIG_VARIABLE_NAMES, ...(tried.match(/SENTINEL_TEST_[A-Z_]+/g) ?? [])]);
  for (const [name] of all(/SENTINEL_[A-Z_]+/g)) t.ok(variables.has(name), name);
  for (const [, path] of all(/`((?:deploy|scripts|base|kubernetes)\/[\w./-]+)`/g))
    t.ok(
      [path, `deploy/${path}`, `deploy/kubernetes/${path}`].some((one) => existsSync(join(root, one))),
      path,
    );
  for (const [, path] of all(/\]\((\.\.\/[^)#]+)\)/g)) t.ok(existsSync(join(root, 'deploy', path)), path);
  for (const [, anchor] of all(/\]\(#([a-z-]+)\)/g))
    t.match(runbook.toLowerCase().replaceAll(' ', '-'), new RegExp(`^##-${anchor}$`, 'm'), anchor);
  const { services } = composeFile();
  for (const [, name] of all(/compose run --rm [^`\n]*?([a-z-]+) services\/agent/g))
    t.ok(name in services, name);
});

t.test('what is deleted before a restore is all there is, and nothing else', async (t) => {
  const deletions = [...runbook.matchAll(/kafka-topics\.sh .* --delete --topic '([^']+)'/g)];
  t.equal(deletions.length, 2, 'by hand and with compose');
  for (const [, topics] of deletions) {
    for (const { name } of CLUSTER_TOPICS) t.match(name, new RegExp(`^${topics}$`), name);
    t.notMatch('another.sentinel.v1', new RegExp(`^${topics}$`));
  }
  const groupsIn = (text) =>
    text
      .match(/^.*kafka-consumer-groups\.sh .* --delete .*$/gm)
      .map((line) => [...line.matchAll(/--group (\S+)/g)].map(([, name]) => name).sort());
  const [before, heads] = runbook.split(/^## Heads$/m);
  const all = Object.values(GROUPS).sort();
  t.strictSame(groupsIn(before), [all, all], 'by hand and with compose');
  t.strictSame(
    groupsIn(heads),
    [[GROUPS.verifier]],
    'to have all reports judged again, only that of the verifier',
  );
});

t.test('the stores of compose are emptied in their containers, while no service runs', (t) => {
  const { services } = composeFile({
    ...Object.fromEntries(
      ['SECRET', 'WALLET', 'MAIL', 'LEDGER'].map((name) => [`SENTINEL_${name}`, 'given']),
    ),
  });
  const [, stopped] = /^docker compose stop (.*)$/m.exec(runbook) ?? [];
  t.strictSame(stopped?.split(' ').sort(), [...SERVICES, 'web'].sort(), 'what is stopped');
  const { SENTINEL_MONGODB_URL: url, SENTINEL_KAFKA_BROKERS: brokers } = services.query.environment;
  const run = [...runbook.matchAll(/docker compose exec --env \S+ (\S+) (\S+) (.*)$/gm)];
  const inside = (name) => run.filter(([, service]) => service === name);
  t.ok(inside('kafka').length > 1, 'Kafka’s programs');
  for (const [, , program, rest] of inside('kafka')) {
    t.match(program, /^\/opt\/kafka\/bin\/kafka-[a-z-]+\.sh$/);
    t.ok(rest.startsWith(`--bootstrap-server ${brokers} `), rest);
  }
  const database = new URL(url).pathname.slice(1);
  matchList(
    t,
    inside('mongo').map(([, , program, rest]) => `${program} ${rest}`),
    [`mongosh --quiet ${database} --eval 'db.dropDatabase()'`],
  );
  for (const [, service] of runbook.matchAll(/docker compose exec (?:--env \S+ )?([a-z-]+) /g))
    t.ok(service in services, service);
  t.match(
    runbook,
    /^docker compose run --rm .*--volume \S+:\/backups topics .*sentinel\.mjs restore \/backups\//m,
  );
  t.end();
});

t.test('a supervisor is told what a service is started with', async (t) => {
  const [, paragraph] = /^A supervisor starts([^]*?)^$/m.exec(runbook);
  for (const service of SERVICES) {
    const [main, ...flags] = startOf(service).reverse();
    if (flags.length > 0) t.ok(paragraph.includes(`node ${flags.join(' ')} ${main}`), service);
    else t.ok(paragraph.includes(`\`${service}\``) || paragraph.includes(`node ${main}`), service);
  }
});

t.test('an upgrade on Kubernetes reaches every part once, and readers before writers', (t) => {
  const [, section] = /^## Upgrade and roll back$([^]*?)^## /m.exec(runbook);
  const selectors = [...section.matchAll(/^part '([^']+)'/gm)].map(([, selector]) => selector);
  const NAME = 'app.kubernetes.io/name';
  const stepOf = (name) => {
    const steps = selectors.flatMap((selector, at) => (selects(selector, NAME, name) ? [at] : []));
    t.equal(steps.length, 1, `${name ?? 'what has no name'} is applied once`);
    return steps[0];
  };
  const names = new Set(allManifests().map(({ body }) => body.metadata?.labels?.[NAME]));
  t.ok(names.has('operator') && names.has(undefined), 'the manifests were found');
  const steps = new Map([...names].map((name) => [name, stepOf(name)]));
  const order = [undefined, 'topics', 'query', 'chain-verifier', 'ingestion', 'web'];
  for (const [at, name] of order.slice(1).entries())
    t.ok(steps.get(order[at]) < steps.get(name), `${name} comes after ${order[at]}`);
  // Both read the topics that the verifiers write.
  for (const name of ['anchoring', 'operator'])
    t.equal(steps.get(name), steps.get('query'), `${name} with the readers`);
  for (const [, deployment] of section.matchAll(/rollout status deployment\/([\w-]+)/g))
    t.ok(steps.has(deployment), deployment);
  t.end();
});

/** Whether a selector of kubectl selects what has this value of a label; of its forms, those that the runbook uses. */
function selects(selector, key, value) {
  if (selector === `!${key}`) return value === undefined;
  const [, list] = new RegExp(`^${key} in \\(([^)]+)\\)$`).exec(selector) ?? [];
  if (list !== undefined) return list.split(', ').includes(value);
  if (!selector.startsWith(`${key}=`)) throw new Error(`a selector of another form: ${selector}`);
  return selector === `${key}=${value}`;
}

t.test('what was not run is said so', async (t) => {
  const sections = runbook.split(/^### /m);
  for (const section of sections.filter((one) => /^(docker compose|docker build) /m.test(one)))
    t.match(section, /not run here|was run here/, section.split('\n')[0]);
  for (const line of runbook
    .split('\n')
    .filter((one) => /^`docker |kubectl --namespace .* delete/.test(one))) {
    const at = runbook.indexOf(line);
    t.match(runbook.slice(Math.max(0, at - 400), at), /not run here/, line);
  }
});
