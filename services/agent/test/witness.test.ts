/** Tests `sentinel witness`: the protocol, crashes and forked logs. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import {
  checkCosignature,
  noteVerifierKey,
  parseCheckpoint,
  parseVerifierKey,
  withSignatures,
  type Cosigner,
} from '@sentinel-node/contracts';
import { verifyEd25519 } from '../src/verify/ed25519.ts';
import { listen } from '../src/witness/server.ts';
import { WitnessFile } from '../src/witness/witness-file.ts';
import {
  LINES_PER_MINUTE,
  OFFERS_PER_MINUTE,
  Witness,
  WITNESS_OFFERS,
  type WitnessDeps,
} from '../src/witness/witness.ts';
import { FILE_MS } from './agent-process.ts';
import { headerLog, newKey } from './note-logs.ts';

t.setTimeout(FILE_MS);

const ORIGIN = 'log.example/one';
const KEY = newKey();
const VKEY = noteVerifierKey(ORIGIN, KEY.publicKey);
const NAME = 'witness.example/one';
const AGENT = new URL('../src/index.js', import.meta.url).href;
const RUN = `const { cli } = await import('${AGENT}'); process.exitCode = await cli(process.argv.slice(1));`;
const honest = headerLog(20, { key: KEY, origin: ORIGIN });
const forked = headerLog(20, { key: KEY, origin: ORIGIN, forkAt: 5 });

async function witnessOf(t: Test, changed: Partial<WitnessDeps> = {}, folder = t.testdir()) {
  const path = join(folder, 'witness.json');
  const file = await WitnessFile.open(path, NAME);
  const evidence: string[] = [];
  let now = 1_700_000_000_000;
  const witness = new Witness({
    file,
    logs: [parseVerifierKey(VKEY)!],
    now: () => now,
    writeLine: () => undefined,
    keepEvidence: (_, note) => Promise.resolve(void evidence.push(note)),
    ...changed,
  });
  const isSigned = async (line: string, note: string): Promise<boolean> => {
    const joined = withSignatures(note, line);
    const found = joined && (await checkCosignature(parseCheckpoint(joined)!, file.key, verifyEd25519));
    return typeof found === 'object';
  };
  return { witness, file, path, folder, evidence, isSigned, wait: (ms: number) => void (now += ms) };
}

t.test('what goes on is cosigned, and nothing else', async (t) => {
  const { witness, isSigned, evidence, path } = await witnessOf(t);
  const first = await witness.add(honest.offer(0, 3));
  t.equal(first.status, 200);
  t.ok(await isSigned(first.body, honest.noteOf(3)));
  t.match(await witness.add(honest.offer(0, 7)), { status: 409, body: '3\n', type: 'text/x.tlog.size' });
  t.match(await witness.add(honest.offer(2, 7)), { status: 409, body: '3\n' });
  t.match(await witness.add(honest.offer(3, 7)), { status: 200 });
  t.match(await witness.add(honest.offer(7, 7)), { status: 200 }, 'the same again has a new time');
  t.match(await witness.add(honest.offer(7, 6)), { status: 400 });
  t.match(await witness.add(honest.offer(3, 6)), { status: 409, body: '7\n' }, 'a smaller one');
  t.match(await witness.add(forked.offer(7, 12)), { status: 422 });
  // A client takes an answer of this type for a size to go on from.
  t.strictSame(await witness.add(forked.offer(7, 7)), {
    status: 409,
    body: 'another checkpoint of this size was cosigned\n',
  });
  t.same(evidence, [forked.noteOf(7)], 'two roots of one size');
  const noProof = honest.offer(7, 9).replace(/^old 7\n[^]*?\n\n/, 'old 7\n\n');
  t.match(await witness.add(noProof), { status: 422 });
  const other = newKey();
  const foreign = headerLog(8, { key: other, origin: ORIGIN });
  t.match(await witness.add(foreign.offer(7, 8)), { status: 403 });
  t.match(await witness.add(honest.offer(7, 8).replace('\n8\n', '\n9\n')), { status: 403 });
  t.match(await witness.add(headerLog(8, { key: KEY, origin: 'log.example/two' }).offer(0)), { status: 404 });
  for (const wrong of ['', 'old 7\n', honest.noteOf(8), honest.offer(7, 8).slice(0, -1)])
    t.match(await witness.add(wrong), { status: 400 }, wrong.slice(0, 10));
  t.match(witness.cosigned(ORIGIN), honest.noteOf(7));
  t.equal(witness.cosigned('toString'), undefined);
  t.equal(statSync(path).mode & 0o777, 0o600);
  t.match(await witness.add(honest.offer(7, 20)), { status: 200 });
});

t.test('an empty log, and a proof where none belongs', async (t) => {
  const { witness } = await witnessOf(t);
  const empty = headerLog(0, { key: KEY, origin: ORIGIN });
  t.match(await witness.add(honest.offer(3, 7).replace('old 3', 'old 0')), { status: 422 });
  t.match(await witness.add(empty.offer(0)), { status: 200 });
  t.match(await witness.add(honest.offer(0, 4)), { status: 200 });
});

t.test('nothing is signed that is not kept, and a crash after keeping loses nothing', async (t) => {
  const { witness, file, folder } = await witnessOf(t);
  t.match(await witness.add(honest.offer(0, 4)), { status: 200 });
  const full = await witnessOf(
    t,
    {
      file: {
        key: file.key,
        savedNote: (of) => file.savedNote(of),
        saveNote: () => Promise.reject(new Error('ENOSPC')),
      },
    },
    folder,
  );
  await t.rejects(full.witness.add(honest.offer(4, 8)), { message: 'ENOSPC' });
  t.match(await full.witness.add(forked.offer(4, 8)).catch(String), /ENOSPC/, 'and what was seen stays');
  const crashing = await witnessOf(
    t,
    {
      file: {
        key: file.key,
        savedNote: (of) => file.savedNote(of),
        saveNote: async (of, note) => {
          await file.saveNote(of, note);
          throw new Error('killed');
        },
      },
    },
    folder,
  );
  await t.rejects(crashing.witness.add(honest.offer(4, 8)), { message: 'killed' });
  const after = await witnessOf(t, {}, folder);
  t.match(await after.witness.add(forked.offer(4, 8)), { status: 409, body: '8\n' });
  t.match(await after.witness.add(forked.offer(8, 8)), { status: 409, type: undefined });
  const again = await after.witness.add(honest.offer(8, 8));
  t.equal(again.status, 200);
  t.ok(await after.isSigned(again.body, honest.noteOf(8)), 'with the key that it had');
});

t.test('what cannot be read of what was seen is not taken for nothing', async (t) => {
  const { file, folder } = await witnessOf(t);
  const broken = { key: file.key, savedNote: () => 'no note', saveNote: () => Promise.resolve() };
  const { witness } = await witnessOf(t, { file: broken }, folder);
  await t.rejects(witness.add(honest.offer(0, 4)), { message: /log.example\/one cannot be read/ });
});

t.test('a file that is not whole is no new witness', async (t) => {
  const { path, folder } = await witnessOf(t);
  const whole = readFileSync(path, 'utf8');
  for (const broken of [
    '',
    '{}',
    whole.slice(0, -70),
    whole.replace('"v":1', '"v":2'),
    whole.replace(NAME, 'x'),
  ]) {
    writeFileSync(path, broken);
    await t.rejects(witnessOf(t, {}, folder), { message: /not the whole file/ });
  }
  writeFileSync(path, whole);
  await t.rejects(WitnessFile.open(path, 'another'), { message: /one name for ever/ });
  t.equal((await WitnessFile.open(path, undefined)).key.name, NAME);
  await t.rejects(WitnessFile.open(join(folder, 'none'), undefined), { message: /give --name/ });
});

t.test('offers beyond the limits', async (t) => {
  const long = headerLog(OFFERS_PER_MINUTE + 3, { key: KEY, origin: ORIGIN });
  const { witness, wait } = await witnessOf(t);
  const many = Array.from({ length: WITNESS_OFFERS + 1 }, () => witness.add(long.offer(0, 1)));
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  t.equal(statuses.filter((status) => status === 503).length, 1);
  t.equal(statuses.filter((status) => status === 200).length, 1, 'one at a time');
  const told = new Set<number>();
  for (let size = 1; size < OFFERS_PER_MINUTE; size++)
    told.add((await witness.add(long.offer(size, size + 1))).status);
  t.same([...told], [200]);
  const newest = long.offer(OFFERS_PER_MINUTE, OFFERS_PER_MINUTE + 1);
  t.match(await witness.add(newest), { status: 429 });
  t.match(await witness.add(long.offer(OFFERS_PER_MINUTE, OFFERS_PER_MINUTE)), { status: 200 });
  wait(60_000);
  t.match(await witness.add(newest), { status: 200 });
});

t.test('given a clock that was ahead, then its limits do not wait for that time', async (t) => {
  const long = headerLog(OFFERS_PER_MINUTE + 3, { key: KEY, origin: ORIGIN });
  const lines: string[] = [];
  const { witness, wait } = await witnessOf(t, { writeLine: (line) => void lines.push(line) });
  for (let size = 0; size < OFFERS_PER_MINUTE; size++) await witness.add(long.offer(size, size + 1));
  const newest = long.offer(OFFERS_PER_MINUTE, OFFERS_PER_MINUTE + 1);
  t.match(await witness.add(newest), { status: 429 });
  const withoutProof = (size: number): string =>
    long.offer(size, size + 2).replace(/^old \d+\n[^]*?\n\n/, `old ${size}\n\n`);
  for (let n = 0; n < 2 * LINES_PER_MINUTE; n++) await witness.add(withoutProof(OFFERS_PER_MINUTE));
  t.equal(lines.length, LINES_PER_MINUTE);
  wait(-86_400_000);
  t.match(await witness.add(newest), { status: 200 });
  await witness.add(withoutProof(OFFERS_PER_MINUTE + 1));
  t.equal(lines.length, LINES_PER_MINUTE + 1, 'and what is refused is said');
});

t.test('a stranger with the public checkpoint does not lock the operator out', async (t) => {
  const folder = t.testdir();
  const { file } = await witnessOf(t, {}, folder);
  const [saved, lines, evidence] = [[] as string[], [] as string[], [] as string[]];
  const { witness, isSigned, wait } = await witnessOf(
    t,
    {
      file: {
        key: file.key,
        savedNote: (of) => file.savedNote(of),
        saveNote: async (of, note) => {
          saved.push(note);
          await file.saveNote(of, note);
        },
      },
      writeLine: (line) => void lines.push(line),
      keepEvidence: (_, note) => Promise.resolve(void evidence.push(note)),
    },
    folder,
  );
  await witness.add(honest.offer(0, 5));
  const noProof = honest.offer(5, 9).replace(/^old 5\n[^]*?\n\n/, 'old 5\n\n');
  const told = new Set<string>();
  for (let round = 0; round < 2 * OFFERS_PER_MINUTE; round++)
    for (const [what, offer] of [
      ['another old size', honest.offer(2, 5)],
      ['the same again', honest.offer(5, 5)],
      ['without its proof', noProof],
    ] as const)
      told.add(`${what}: ${(await witness.add(offer)).status}`);
  t.same([...told], ['another old size: 409', 'the same again: 200', 'without its proof: 422']);
  t.equal(saved.length, 1, 'what was cosigned before is not written again');
  t.equal(lines.length, LINES_PER_MINUTE, 'the operator of the witness is told now and then');
  wait(1_000);
  const again = await witness.add(honest.offer(5, 5));
  t.ok(await isSigned(again.body, honest.noteOf(5)));
  t.equal(witness.cosigned(ORIGIN), honest.noteOf(5) + again.body, 'with the new time');
  t.match(await witness.add(honest.offer(5, 9)), { status: 200 }, 'the operator goes on');
  // A line of another key, which nobody checked, makes no second piece of evidence.
  const padded = `${forked.offer(9, 9)}— stranger AAAAAAAA\n`;
  for (const offer of [forked.offer(9, 9), padded]) t.equal((await witness.add(offer)).status, 409);
  t.same(new Set(evidence), new Set([forked.noteOf(9)]));
});

t.test('over HTTP', async (t) => {
  const { witness } = await witnessOf(t);
  const server = await listen(witness, { host: '127.0.0.1', port: 0 }, [ORIGIN], (error) =>
    t.fail(String(error)),
  );
  const url = `http://127.0.0.1:${server.port}`;
  const hash = createHash('sha256').update(ORIGIN).digest('hex');
  const get = (path: string, method = 'GET', body?: string) =>
    fetch(url + path, { method, ...(body === undefined ? {} : { body }) });
  t.equal((await get(`/${hash}/checkpoint`)).status, 404);
  const signed = await get('/add-checkpoint', 'POST', honest.offer(0, 3));
  t.equal(signed.status, 200);
  t.equal(await (await get(`/${hash}/checkpoint`)).text(), honest.noteOf(3) + (await signed.text()));
  const conflict = await get('/add-checkpoint', 'POST', honest.offer(0, 3));
  t.equal(conflict.status, 409);
  t.equal(conflict.headers.get('content-type'), 'text/x.tlog.size');
  const wrong = await get('/add-checkpoint');
  t.same([wrong.status, wrong.headers.get('allow')], [405, 'POST']);
  for (const path of ['/', `/${hash}`, `/${hash.toUpperCase()}/checkpoint`, '/add-checkpoint/'])
    t.equal((await get(path)).status, 404, path);
  const long = request(`${url}/add-checkpoint`, { method: 'POST' });
  long.on('error', () => undefined);
  long.write('x'.repeat(80_000));
  const [answer] = await once(long, 'response');
  t.equal(answer.statusCode, 413, 'answered before the request ends');
  long.destroy();
  await server.close();
  await t.rejects(get('/'));
});

/** Starts the command in its own process. */
async function started(folder: string, ...more: string[]) {
  return startedAt('127.0.0.1:0', folder, ...more);
}

async function startedAt(listens: string, folder: string, ...more: string[]) {
  const args = ['witness', '--state', folder, '--log', VKEY, '--listen', listens, ...more];
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUN, ...args]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const errors = text(child.stderr);
  const ended = once(child, 'exit');
  const first = await lines.next();
  const [, name = '', vkey = '', url = ''] = String(first.value).split(' ');
  const offer = async (body: string) => {
    const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
    return { status: answer.status, body: await answer.text() };
  };
  return { child, ended, errors, name, vkey, url, lines, offer };
}

t.test(
  'the printed address is a URL, and none that stands for all addresses',
  { timeout: FILE_MS },
  async (t) => {
    const six = await startedAt('[::1]:0', t.testdir(), '--name', NAME);
    t.match(six.url, /^http:\/\/\[::1\]:\d+$/);
    t.equal((await six.offer('no checkpoint')).status, 400, 'it answers there');
    six.child.kill('SIGTERM');
    for (const listens of ['0.0.0.0:0', '[::]:0']) {
      const any = await startedAt(listens, t.testdir(), '--name', NAME);
      t.match(any.url, /^http:\/\/HOST:\d+$/);
      t.equal((await any.lines.next()).value, 'HOST is the address under which others reach this machine');
      any.child.kill('SIGTERM');
      await any.ended;
    }
  },
);

t.test('killed again and again, it never signs two logs', { timeout: FILE_MS }, async (t) => {
  const folder = t.testdir();
  const signed = new Map<number, Set<string>>();
  let vkey: string | undefined;
  let largest = 0;
  for (let life = 0; life < 6; life++) {
    const running = await started(folder, '--name', NAME);
    vkey ??= running.vkey;
    t.equal(running.vkey, vkey, 'the key stays');
    let offers = 0;
    const branch = async (log: typeof honest): Promise<void> => {
      for (let size = 1; size <= 20; size++) {
        const told = await running.offer(log.offer(size - 1, size));
        if (told.status === 200) {
          const roots = signed.get(size) ?? new Set();
          signed.set(size, roots.add(parseCheckpoint(log.noteOf(size))!.text));
          t.ok(size >= largest, 'never smaller');
          largest = size;
        }
        if (++offers === 9 + 3 * life) running.child.kill('SIGKILL');
      }
    };
    // The calls of a killed process fail; only earlier signatures count.
    await Promise.allSettled([branch(honest), branch(forked)]);
    running.child.kill('SIGKILL');
    await running.ended;
  }
  t.ok(signed.size > 5, `${signed.size} sizes`);
  for (const [size, texts] of signed) t.equal(texts.size, 1, `one log of ${size}`);
  t.same(
    readdirSync(folder).filter((name) => !/^(witness\.json(\.part)?|lock\.db.*|evidence-.*)$/.test(name)),
    [],
  );
});

t.test('the command', { timeout: FILE_MS }, async (t) => {
  const folder = t.testdir();
  const run = async (...args: string[]) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', RUN, 'witness', ...args]);
    const [stdout, stderr] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { code: child.exitCode, stdout, stderr };
  };
  t.match(await run('--help'), { code: 0, stdout: /usage: sentinel witness/ });
  t.match(await run(), { code: 2, stderr: /--state is missing/ });
  t.match(await run('--state', folder, '--name', 'a b'), { code: 2, stderr: /--name takes/ });
  t.match(await run('--state', folder, '--listen', 'x'), { code: 2, stderr: /--listen takes/ });
  t.match(await run('--state', folder, '--log', VKEY), { code: 1, stderr: /give --name/ });
  t.match(await run('--state', folder, '--log', 'x'), { code: 1, stderr: /not the vkey of a log/ });
  const policy = join(folder, 'policy');
  writeFileSync(policy, `log ${VKEY}\nquorum none\n`);
  t.match(await run('--state', folder, '--log', VKEY, '--policy', policy), { code: 1, stderr: /one name/ });
  const key = await run('--state', folder, '--name', NAME, '--vkey');
  t.equal(parseVerifierKey(key.stdout.trim())?.type, 4);
  t.match(await run('--state', folder), { code: 1, stderr: /no log to witness/ });
  const { child, ended, vkey, offer } = await started(folder);
  t.equal(`${vkey}\n`, key.stdout);
  t.match(await run('--state', folder, '--log', VKEY), { code: 3, stderr: /another witness is using/ });
  const { body, status } = await offer(honest.offer(0));
  t.equal(status, 200);
  const note = parseCheckpoint(honest.note + body)!;
  const cosigner = { ...parseVerifierKey(vkey)!, type: 4 } satisfies Cosigner;
  t.match(await checkCosignature(note, cosigner, verifyEd25519), { time: Number });
  t.equal((await offer(forked.offer(20))).status, 409);
  t.equal(readdirSync(folder).filter((name) => name.startsWith('evidence-')).length, 1);
  child.kill('SIGTERM');
  t.same(await ended, [0, null]);
});
