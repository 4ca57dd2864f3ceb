import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { otherProgram, prepareOtherProgram } from '../src/other-programs/index.ts';

t.test(
  'without what it needs a program is missing with its reason, and an error where it is required',
  async (t) => {
    const empty = mkdtempSync(join(tmpdir(), 'sentinel-other-programs-'));
    const before = { ...process.env };
    t.teardown(() => {
      Object.assign(process.env, before);
      if (before['SENTINEL_TEST_CACHE'] === undefined) delete process.env['SENTINEL_TEST_CACHE'];
      if (before['SENTINEL_TEST_REQUIRE'] === undefined) delete process.env['SENTINEL_TEST_REQUIRE'];
      rmSync(empty, { recursive: true });
    });
    Object.assign(process.env, {
      PATH: empty,
      SENTINEL_TEST_CACHE: empty,
      SENTINEL_TEST_REQUIRE: 'go,bsv-sdk',
    });
    for (const [kind, command] of [
      ['bsv-sdk', 'python3'],
      ['go', 'go'],
    ] as const) {
      const missing = `no ${kind}: ${command} failed: spawn ${command} ENOENT`;
      t.strictSame(await prepareOtherProgram(kind), { missing });
      await t.rejects(otherProgram(t, kind), new Error(missing));
    }
  },
);
