import { createPublicKey, generateKeyPairSync, sign, verify as verifySignature } from 'node:crypto';
import t from 'tap';
import { fromBase64, fromHex, toHex, utf8 } from '../src/bytes/bytes.ts';
import * as checkpoint from '../src/log/checkpoint.ts';
import { vector } from './support.ts';

const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');
const rawKey = (key: ReturnType<typeof generateKeyPairSync>['publicKey']) =>
  new Uint8Array(
    (key as unknown as { export(o: object): Buffer }).export({ format: 'der', type: 'spki' }).subarray(-32),
  );

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const key = rawKey(publicKey);
const logId = checkpoint.logIdOf(key);
const origin = checkpoint.defaultLogOrigin(logId);
const root = logId;
const signer = (message: Uint8Array) => new Uint8Array(sign(null, message, privateKey));

function verify(message: Uint8Array, signature: Uint8Array, publicKeyBytes: Uint8Array): boolean {
  const der = Buffer.concat([SPKI_ED25519, publicKeyBytes]);
  return verifySignature(
    null,
    message,
    createPublicKey({ key: der, format: 'der', type: 'spki' }),
    signature,
  );
}

t.test("the example of Go's signed notes: key id and signature", async (t) => {
  // From the documentation of the package golang.org/x/mod/sumdb/note.
  const verifierKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  const text =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
  const line = 'x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=';
  const peter = fromBase64(verifierKey.split('+').slice(2).join('+')).slice(1);
  t.equal(checkpoint.noteVerifierKey('PeterNeumann', peter), verifierKey);
  t.equal(toHex(fromBase64(line).slice(0, 4)), toHex(checkpoint.noteKeyId('PeterNeumann', peter)));
  t.ok(verify(utf8(text), fromBase64(line).slice(4), peter));
});

t.test('a signed checkpoint is read and verified', async (t) => {
  const note = checkpoint.signCheckpoint({ origin, size: 12, root }, key, signer);
  t.match(
    note,
    /^sentinel-node\/[0-9a-f]{16}\n12\n[A-Za-z0-9+/]{43}=\n\n— sentinel-node\/[0-9a-f]{16} [A-Za-z0-9+/=]+\n$/,
  );
  const read = await checkpoint.verifyCheckpoint(note, origin, key, verify);
  t.match(read, { origin, size: 12, text: checkpoint.checkpointText({ origin, size: 12, root }) });
  t.same(read?.root, root);
  const witnessed = `${note}— witness.example/w1 ${'A'.repeat(90)}AA\n`;
  t.ok(await checkpoint.verifyCheckpoint(witnessed, origin, key, verify), 'other signatures are ignored');
});

t.test('any changed character makes it unverified', async (t) => {
  const note = checkpoint.signCheckpoint({ origin, size: 12, root }, key, signer);
  for (let at = 0; at < note.length; at++) {
    const changed = note.slice(0, at) + (note[at] === 'A' ? 'B' : 'A') + note.slice(at + 1);
    if (await checkpoint.verifyCheckpoint(changed, origin, key, verify)) t.fail(`character ${at}`);
  }
  t.equal(
    await checkpoint.verifyCheckpoint(note, 'other.example/log', key, verify),
    undefined,
    'another log',
  );
  const other = rawKey(generateKeyPairSync('ed25519').publicKey);
  t.equal(await checkpoint.verifyCheckpoint(note, origin, other, verify), undefined, 'another key');
  const twice = note + note.split('\n').at(-2) + '\n';
  t.equal(
    await checkpoint.verifyCheckpoint(twice, origin, key, verify),
    undefined,
    'two signatures of the log',
  );
});

t.test('what is not a checkpoint is not read', async (t) => {
  const good = checkpoint.signCheckpoint({ origin, size: 12, root }, key, signer);
  const wrong = [
    '',
    '\n\n',
    good.slice(0, -1),
    good.split('\n\n')[0]!,
    `${good.split('\n\n')[0]!}\n\n`,
    good.replace('\n12\n', '\n012\n'),
    good.replace('\n12\n', '\n-1\n'),
    good.replace('\n12\n', '\n9007199254740993\n'),
    good.replace('=\n\n', '\n\n'),
    good.replace('— ', '- '),
    good + 'x\n',
    good.replace(origin, 'a b'),
    `${'x'.repeat(checkpoint.MAX_CHECKPOINT_LENGTH)}${good}`,
  ];
  for (const note of wrong)
    t.equal(checkpoint.parseCheckpoint(note), undefined, JSON.stringify(note.slice(0, 60)));
  for (const name of ['', 'a b', 'a+b', 'a\nb', 'a\u00a0b', 'x'.repeat(257)]) {
    t.throws(
      () => checkpoint.checkpointText({ origin: name, size: 0, root }),
      RangeError,
      JSON.stringify(name.slice(0, 9)),
    );
  }
  t.throws(() => checkpoint.checkpointText({ origin, size: -1, root }), RangeError);
  t.throws(() => checkpoint.checkpointText({ origin, size: 1, root: root.slice(1) }), RangeError);
  t.throws(() => checkpoint.logIdOf(key.slice(1)), RangeError);
});

t.test('the recorded checkpoints verify', async (t) => {
  const { publicKey: hex, checkpoints } = vector<{
    publicKey: string;
    checkpoints: { origin: string; note: string; size: number }[];
  }>('log.json');
  for (const { origin: name, note, size } of checkpoints) {
    t.match(await checkpoint.verifyCheckpoint(note, name, fromHex(hex), verify), { size });
  }
});

t.test('the least and the longest that is a checkpoint', async (t) => {
  const empty = checkpoint.signCheckpoint({ origin, size: 0, root }, key, signer);
  t.match(checkpoint.parseCheckpoint(empty), { size: 0, origin });
  const signed = checkpoint.signCheckpoint({ origin, size: 12, root }, key, signer);
  const [text = ''] = signed.split('\n\n');
  const lines = (...given: string[]) => checkpoint.parseCheckpoint(`${text}\n\n${given.join('\n')}\n`);
  const five = lines('— w QUJDREU=')?.signatures;
  t.equal(five?.length, 1);
  t.match(five?.[0], { name: 'w', signature: Uint8Array.of(0x45) }, 'five bytes');
  t.equal(lines('— w QUJDRA=='), undefined, 'a key id and no signature');
  t.equal(lines('— w QUJD'), undefined);
  t.equal(lines('— w QUJDREU'), undefined, 'no base 64');
  t.equal(lines('— w QUJDREU=', ''), undefined, 'an empty line');
  t.equal(lines('— w QUJDREU=', 'w QUJDREU='), undefined, 'one of two');
  const filled = (length: number) => {
    const line = `— ${'w'.repeat(length - signed.length - '—  QUJDREU=\n'.length)} QUJDREU=\n`;
    return checkpoint.parseCheckpoint(signed + line);
  };
  t.equal(filled(checkpoint.MAX_CHECKPOINT_LENGTH)?.signatures.length, 2);
  t.equal(filled(checkpoint.MAX_CHECKPOINT_LENGTH + 1), undefined);
});
