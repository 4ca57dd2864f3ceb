import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { encodeAddCheckpoint, parseAddCheckpoint, parseTreeSize } from '../src/log/add-checkpoint.ts';
import { fromBase64, toBase64, toHex } from '../src/bytes/bytes.ts';
import {
  MAX_CHECKPOINT_LENGTH,
  parseCheckpoint,
  signCheckpoint,
  verifyCheckpoint,
} from '../src/log/checkpoint.ts';
import {
  checkCosignature,
  checkedNoteOf,
  cosign,
  cosignedMessage,
  ownNoteOf,
  withSignatures,
} from '../src/log/cosignature.ts';
import { formatVerifierKey, parseVerifierKey, verifierKeyId } from '../src/log/verifier-key.ts';
import { cosignerOf, newNoteKey, verifyNote } from './note-keys.ts';

const logKey = newNoteKey();
const ORIGIN = 'log.example/one';
const root = logKey.publicKey;
const note = signCheckpoint({ origin: ORIGIN, size: 12, root }, logKey.publicKey, logKey.sign);
const witnessKey = newNoteKey();
const witness = cosignerOf('witness.example/w1', witnessKey);
const parsed = (text: string) => parseCheckpoint(text)!;

/** The example of C2SP tlog-cosignature. */
const EXAMPLE = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`;

t.test('the example of tlog-cosignature: place of the time, and the message', (t) => {
  const { signatures, text } = parsed(EXAMPLE);
  const { name, keyId, signature } = signatures[1]!;
  t.equal(name, 'witness.example.com/w1');
  t.equal(toHex(keyId), '8d66cf3f');
  t.equal(signature.length, 72);
  const time = Number(new DataView(signature.buffer, signature.byteOffset).getBigUint64(0));
  t.equal(time, 1_679_315_147);
  t.equal(
    Buffer.from(cosignedMessage(text, time)).toString(),
    'cosignature/v1\ntime 1679315147\nexample.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n',
  );
  t.end();
});

t.test('the vkey of signed-note', (t) => {
  const vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
  const key = parseVerifierKey(vkey)!;
  t.match(key, { name: 'example.com/foo', type: 1 });
  t.equal(formatVerifierKey(key), vkey);
  const text = 'This is an example message.\n';
  const line = 'Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=';
  t.ok(verifyNote(new TextEncoder().encode(text), fromBase64(line).slice(4), key.publicKey));
  const other = formatVerifierKey({ ...key, type: 4 });
  t.not(other, vkey);
  t.match(parseVerifierKey(other), { type: 4 });
  const material = vkey.split('+').slice(2).join('+');
  for (const wrong of [
    '',
    vkey.replace('530d903a', '530d903b'),
    vkey.replace('530d903a', '530D903A'),
    vkey.replace('example', 'exam ple'),
    vkey.slice(0, -1),
    `${vkey}=`,
    `${vkey}\n`,
    vkey.replace(material, toBase64(Uint8Array.of(2, ...key.publicKey))),
    vkey.replace(material, toBase64(key.publicKey)),
  ])
    t.equal(parseVerifierKey(wrong), undefined, wrong);
  t.end();
});

t.test('a cosignature is checked with its time, under a key id of its own', async (t) => {
  const { time, line } = cosign(parsed(note).text, witness, 1_700_000_000, witnessKey.sign);
  t.equal(time, 1_700_000_000);
  const cosigned = withSignatures(note, line)!;
  t.same(await checkCosignature(parsed(cosigned), witness, verifyNote), { time, line });
  t.ok(await verifyCheckpoint(cosigned, ORIGIN, logKey.publicKey, verifyNote), 'the log is still the signer');
  t.equal(await checkCosignature(parsed(note), witness, verifyNote), 'ABSENT');
  const renamed = cosignerOf('witness.example/w2', witnessKey);
  t.equal(await checkCosignature(parsed(cosigned), renamed, verifyNote), 'ABSENT');
  t.not(toHex(verifierKeyId(witness)), toHex(verifierKeyId({ ...witness, type: 1 })));
  const later = cosign(parsed(note).text, witness, 1_700_000_001, witnessKey.sign);
  for (const both of [line + later.line, later.line + line])
    t.same(await checkCosignature(parsed(note + both), witness, verifyNote), later, 'the newest of several');
});

t.test('whatever is changed, the cosignature is invalid', async (t) => {
  const signature = (text: string, time: number) => cosign(text, witness, time, witnessKey.sign).line;
  const { text } = parsed(note);
  const good = signature(text, 7);
  const bytes = fromBase64(good.split(' ')[2]!.trim());
  const lineOf = (changed: Uint8Array): string => `— ${witness.name} ${toBase64(changed)}\n`;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 4, max: 75 }), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const changed = bytes.slice();
      changed[at]! ^= by;
      return (await checkCosignature(parsed(note + lineOf(changed)), witness, verifyNote)) === 'INVALID';
    }),
  );
  const untimed = new Uint8Array([
    ...verifierKeyId(witness),
    ...witnessKey.sign(new TextEncoder().encode(text)),
  ]);
  for (const wrong of [
    signature(text.replace('12', '13'), 7),
    lineOf(untimed),
    lineOf(bytes.slice(0, -1)),
    lineOf(new Uint8Array([...bytes, 0])),
    good + lineOf(untimed),
    lineOf(untimed) + good,
  ])
    t.equal(await checkCosignature(parsed(note + wrong), witness, verifyNote), 'INVALID');
  t.throws(() => signature(text, 0), RangeError);
  t.throws(() => signature(text, 1.5), RangeError);
});

t.test('lines join a note only as signatures of the same text', (t) => {
  const { line } = cosign(parsed(note).text, witness, 7, witnessKey.sign);
  t.equal(withSignatures(note, ''), note);
  t.equal(withSignatures(note, line), note + line);
  for (const wrong of [
    'x',
    line.trimEnd(),
    `\n${line}`,
    `${line}\n${line}`,
    `old\n${line}`,
    line.repeat(200),
  ])
    t.equal(withSignatures(note, wrong), undefined, wrong.slice(0, 20));
  t.equal(withSignatures('no note', line), undefined);
  t.end();
});

t.test('a cosignature at no time is invalid, though signed', async (t) => {
  const { text } = parsed(note);
  for (const time of [0n, 2n ** 53n]) {
    const bytes = new Uint8Array(72);
    new DataView(bytes.buffer).setBigUint64(0, time);
    bytes.set(witnessKey.sign(cosignedMessage(text, Number(time))), 8);
    const line = `— ${witness.name} ${toBase64(new Uint8Array([...verifierKeyId(witness), ...bytes]))}\n`;
    t.equal(await checkCosignature(parsed(note + line), witness, verifyNote), 'INVALID', String(time));
  }
});

t.test('a note with the line of the log alone, and with the lines that were checked', async (t) => {
  const log = { name: ORIGIN, type: 1, publicKey: logKey.publicKey } as const;
  const { text } = parsed(note);
  const second = newNoteKey();
  const other = cosignerOf(ORIGIN, second);
  const lines = [
    cosign(text, other, 5, second.sign).line,
    cosign(text, witness, 7, witnessKey.sign).line,
    cosign('another\n', witness, 8, witnessKey.sign).line,
  ];
  // The log's own line stands between others, one of which has its name.
  const [own = ''] = note.split('\n\n').slice(1);
  const mixed = parsed(`${text}\n${lines[0]!}${own}${lines.slice(1).join('')}`);
  t.equal(ownNoteOf(mixed, log), note);
  t.equal(await checkedNoteOf(mixed, log, [], verifyNote), note);
  t.equal(
    await checkedNoteOf(mixed, log, [witness], verifyNote),
    note + lines[1]!,
    'not the line of another text',
  );
  t.equal(await checkedNoteOf(mixed, log, [witness, other], verifyNote), note + lines[0]! + lines[1]!);
});

t.test('a note is as long as it may be, and no longer', async (t) => {
  const lineOf = (length: number): string => `— w ${'A'.repeat(length)}\n`;
  const room = MAX_CHECKPOINT_LENGTH - note.length;
  // Base 64 comes in fours, the name makes up for the rest.
  const filled = (length: number): string => {
    const text = 4 * Math.floor((length - 20) / 4);
    return lineOf(text).replace(' w ', ` ${'w'.repeat(length - lineOf(text).length + 1)} `);
  };
  t.ok(withSignatures(note, filled(room)));
  t.equal(withSignatures(note, filled(room + 1)), undefined);
});

t.test('an offer to a witness', (t) => {
  const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(fc.nat(), fc.array(hash, { maxLength: 63 }), (oldSize, path) => {
      const offer = { oldSize, path, checkpoint: note };
      t.same(parseAddCheckpoint(encodeAddCheckpoint(offer)), offer);
    }),
    { numRuns: 50 },
  );
  const line = toBase64(root);
  t.same(parseAddCheckpoint(`old 4\n${line}\n\n${note}`), { oldSize: 4, path: [root], checkpoint: note });
  for (const wrong of [
    '',
    `old 4\n${note}`.replaceAll('\n\n', '\n'),
    `old 04\n\n${note}`,
    `old -1\n\n${note}`,
    `old  4\n\n${note}`,
    `Old 4\n\n${note}`,
    `old 4 \n\n${note}`,
    `old 9007199254740992\n\n${note}`,
    `old 4\n${line.slice(1)}\n\n${note}`,
    `old 4\n${toBase64(root.slice(1))}\n\n${note}`,
    `old 4\r\n\n${note}`,
    `old 4\n${`${line}\n`.repeat(64)}\n${note}`,
  ])
    t.equal(parseAddCheckpoint(wrong), undefined, JSON.stringify(wrong.slice(0, 20)));
  t.throws(() => encodeAddCheckpoint({ oldSize: -1, path: [], checkpoint: note }), RangeError);
  const path = Array.from({ length: 64 }, () => root);
  t.throws(() => encodeAddCheckpoint({ oldSize: 1, path, checkpoint: note }), RangeError);
  t.equal(parseTreeSize('0'), 0);
  t.equal(parseTreeSize('00'), undefined);
  t.end();
});
