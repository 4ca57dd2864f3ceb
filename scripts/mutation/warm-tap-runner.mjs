// A test runner for Stryker that keeps one process warm. Stryker's own tap-runner starts a process for every mutant and
// test file, which costs 0.5 to 1.7 s of processor time each; here a mutant costs what its tests cost. The tests are
// the same files, run by the same tap.
import { appendFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import { recordCalls } from './recorder.mjs';

/** Generation without a mutant. Each mutant that acts while modules load gets its own generation. */
const CLEAN = 0;

class WarmTapRunner {
  static inject = tokens(commonTokens.options, commonTokens.logger);

  constructor(options, log) {
    this.testFiles = options.tap.testFiles;
    this.log = log;
    this.generation = CLEAN;
    this.namespace = {};
    globalThis.__stryker__ = this.namespace;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const { t, Test } = await importTap();
    t.setTimeout(0);
    this.Test = Test;
    // Any counterexample kills the mutant; shrinking it only takes time.
    fc.configureGlobal({ endOnFailure: true });
    const copy = `${pathToFileURL(process.cwd())}/`;
    const recorder = new URL('./recorder.mjs', import.meta.url).href;
    register('./resolve-hooks.mjs', { parentURL: import.meta.url, data: { copy, recorder } });
    this.files = await this.load(CLEAN);
  }

  async dryRun() {
    const tests = await this.run(this.files, undefined);
    const mutantCoverage = JSON.parse(
      JSON.stringify(this.namespace.mutantCoverage ?? { static: {}, perTest: {} }),
    );
    const failed = await this.failedAlone();
    if (tests.every(passed) && failed.length > 0)
      return { status: DryRunStatus.Error, errorMessage: `Only fail in another order: ${failed.join('; ')}` };
    return { status: DryRunStatus.Complete, tests, mutantCoverage };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit, reloadEnvironment }) {
    this.namespace.activeMutant = activeMutant.id;
    this.namespace.hitLimit = hitLimit;
    this.namespace.hitCount = hitLimit === undefined ? undefined : 0;
    try {
      const files = reloadEnvironment ? await this.load((this.generation += 1)) : this.files;
      const tests = await this.run(files, testFilter, { bail: true });
      const endless = determineHitLimitReached(this.namespace.hitCount, hitLimit);
      return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests });
    } finally {
      this.namespace.activeMutant = undefined;
      this.namespace.hitLimit = undefined;
      this.namespace.hitCount = undefined;
    }
  }

  /**
   * Checks that all tests still pass without a mutant. Otherwise mutants left state behind, and later ones may be wrongly killed: the file
   * that `MUTATION_DOUBTS` names says so, because nobody hears of an error here.
   */
  async dispose() {
    const failed = await this.failedAlone();
    if (failed.length === 0) return;
    this.log.error(`Without a mutant, after all mutants, these fail: ${failed.join('; ')}`);
    appendFileSync(process.env.MUTATION_DOUBTS, `${failed.join('\n')}\n`);
  }

  /** Names of the tests that fail without a mutant, run from last to first. */
  async failedAlone() {
    const files = this.files.map(({ setUp, tests }) => ({ setUp, tests: tests.toReversed() })).toReversed();
    return (await this.run(files, undefined)).filter((test) => !passed(test)).map(({ name }) => name);
  }

  async load(generation) {
    const files = [];
    for (const path of this.testFiles) {
      const url = `${pathToFileURL(join(process.cwd(), path))}?generation=${generation}`;
      let loadError;
      const calls = await recordCalls(() => import(url).catch((error) => (loadError = error)));
      // A module that cannot be loaded fails the whole file, as it would in a process of its own.
      if (loadError !== undefined)
        calls.push({ method: 'test', args: ['load', () => Promise.reject(loadError)] });
      const tests = calls.filter(({ method }) => method === 'test');
      files.push({
        setUp: calls.filter(({ method }) => method !== 'test'),
        tests: tests.map(({ args }, index) => ({ id: `${path}#${index}`, path, args })),
      });
    }
    return files;
  }

  async run(files, testFilter, { bail = false } = {}) {
    const results = [];
    for (const { setUp, tests } of files) {
      for (const test of tests) {
        if (testFilter !== undefined && !testFilter.includes(test.id) && test.args[0] !== 'load') continue;
        const result = await this.runTest(setUp, test);
        results.push(result);
        if (bail && !passed(result)) return results;
      }
    }
    return results;
  }

  async runTest(setUp, { id, path, args }) {
    const began = performance.now();
    const [title] = args;
    const parent = new this.Test({
      name: path,
      timeout: 0,
      cb: async (t) => {
        for (const call of setUp) t[call.method](...call.args);
        await t.test(...args);
      },
    });
    parent.resume();
    this.namespace.currentTestId = id;
    await new Promise((resolve) => parent.runMain(resolve));
    this.namespace.currentTestId = undefined;
    const status = parent.passing() ? TestStatus.Success : TestStatus.Failed;
    const timeSpentMs = performance.now() - began;
    const fileName = path.replace('/dist/', '/').replace(/\.js$/, '.ts');
    return { id, name: String(title), fileName, timeSpentMs, status, failureMessage: 'failed' };
  }
}

/** Loads tap without its messages: Stryker talks to this process in strings, tap would send objects between them. */
function importTap() {
  const send = process.send?.bind(process);
  if (send !== undefined)
    process.send = (message, ...rest) => typeof message !== 'string' || send(message, ...rest);
  return import('tap');
}

const passed = ({ status }) => status === TestStatus.Success;

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'warm-tap', WarmTapRunner)];
