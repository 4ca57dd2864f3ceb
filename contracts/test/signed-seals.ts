/** Seals with unusually unlocked inputs, for checkers of signatures. */
import { Curve, Hash, TransactionSignature } from '@bsv/sdk/primitives';
import { LockingScript, UnlockingScript } from '@bsv/sdk/script';
import { Transaction } from '@bsv/sdk/transaction';
import type { SealLine } from '../src/ledger/seal-chain.ts';
import { KEY } from './seal-vectors.ts';

const COMPRESSED = Buffer.from(KEY.toPublicKey().encode(true) as number[]);
const UNCOMPRESSED = Buffer.from(KEY.toPublicKey().encode(false) as number[]);
const toKey = (key: Buffer): string => `76a914${Buffer.from(Hash.hash160([...key])).toString('hex')}88ac`;
const OWN = toKey(COMPRESSED);
const push = (...parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat(parts.flatMap((part) => [Buffer.of(part.length), part]));

/** A way to lock and unlock the further funds of a batch. */
interface Way {
  readonly what: string;
  readonly isAccepted?: true;
  readonly version?: number;
  readonly scope?: number;
  /** Locking script of the funds, hex; default: the hash of the key. */
  readonly lock?: string;
  readonly isHigh?: true;
  readonly unlocking?: (signature: Buffer, key: Buffer) => Buffer;
}

const padded = (signature: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x30, signature[1]! + 1, 2, signature[3]! + 1, 0), signature.subarray(4)]);
const pushed1 = (part: Buffer): Buffer => Buffer.concat([Buffer.of(0x4c, part.length), part]);

const WAYS: readonly Way[] = [
  { what: 'as the software signs', isAccepted: true },
  { what: 'version 2', version: 2, isAccepted: true },
  ...[0x42, 0x43, 0xc1, 0xc2, 0xc3, 0x01, 0x02, 0x61, 0x40, 0x44].flatMap((scope) =>
    [1, 2].map((version) => ({
      what: `hash type ${scope.toString(16)}, version ${version}`,
      scope,
      version,
    })),
  ),
  ...[1, 2].map((version) => ({ what: `a high s, version ${version}`, isHigh: true as const, version })),
  ...[1, 2].flatMap((version): Way[] => [
    {
      what: 'an integer of the signature with a zero in front',
      version,
      unlocking: (s, k) => push(padded(s), k),
    },
    {
      what: 'a byte pushed besides',
      version,
      unlocking: (s, k) => Buffer.concat([Buffer.of(0x51), push(s, k)]),
    },
    {
      what: 'an operation besides',
      version,
      unlocking: (s, k) => Buffer.concat([push(s, k), Buffer.of(0x61)]),
    },
    { what: 'a longer push', version, unlocking: (s, k) => Buffer.concat([pushed1(s), push(k)]) },
    { what: 'the key first', version, unlocking: (s, k) => push(k, s) },
    { what: 'no signature', version, unlocking: (_, k) => push(Buffer.alloc(0), k) },
    { what: 'nothing', version, unlocking: () => Buffer.alloc(0) },
    { what: 'a whole key', version, lock: toKey(UNCOMPRESSED), unlocking: (s) => push(s, UNCOMPRESSED) },
    {
      what: 'output to the key itself',
      version,
      lock: `21${COMPRESSED.toString('hex')}ac`,
      unlocking: (s) => push(s),
    },
    { what: 'output to anybody', version, lock: '51', unlocking: () => Buffer.alloc(0) },
    { what: 'output that drops both', version, lock: '6d51' },
    { what: 'output with an operation more', version, lock: `${OWN}61` },
    { what: 'output to a longer push', version, lock: OWN.replace('76a914', '76a94c14') },
  ]),
];

export interface SignedSeals {
  readonly what: string;
  readonly lines: readonly string[];
  readonly isAccepted: boolean;
}

/** Returns the seals up to batch 2, which adds further funds, once for each way. @param lines of a whole seals file */
export function signedSeals(lines: readonly string[]): SignedSeals[] {
  const before = lines.slice(0, 3);
  const [previous, line] = [lines[2]!, lines[3]!].map((one) => JSON.parse(one) as SealLine) as [
    SealLine,
    SealLine,
  ];
  return WAYS.map((way) => {
    const raw = signed(
      Transaction.fromHex(previous.raw),
      Transaction.fromHex(line.raw),
      line.spends[0]!.satoshis,
      way,
    );
    const spends = [{ satoshis: line.spends[0]!.satoshis, script: way.lock ?? OWN }];
    const what = `${way.what}, version ${way.version ?? 1}`;
    return {
      what,
      isAccepted: way.isAccepted === true,
      lines: [...before, JSON.stringify({ ...line, raw, spends })],
    };
  });
}

function signed(previous: Transaction, like: Transaction, funds: number, way: Way): string {
  const tx = new Transaction(way.version ?? 1, [], like.outputs, 0);
  const ways: readonly Way[] = [{ what: 'the seal' }, way];
  const spent = [
    previous.outputs[1]!,
    { satoshis: funds, lockingScript: LockingScript.fromHex(way.lock ?? OWN) },
  ];
  for (const input of like.inputs)
    tx.addInput({
      sourceTXID: input.sourceTXID!,
      sourceOutputIndex: input.sourceOutputIndex,
      sequence: 0xffffffff,
    });
  const scripts = spent.map(({ lockingScript, satoshis }, inputIndex) => {
    const { isHigh, scope = 0x41, unlocking = push } = ways[inputIndex]!;
    const input = tx.inputs[inputIndex]!;
    const preimage = TransactionSignature.formatBytes({
      sourceTXID: input.sourceTXID!,
      sourceOutputIndex: input.sourceOutputIndex,
      sourceSatoshis: satoshis!,
      transactionVersion: tx.version,
      otherInputs: tx.inputs.filter((_, index) => index !== inputIndex),
      inputIndex,
      outputs: tx.outputs,
      inputSequence: 0xffffffff,
      subscript: lockingScript,
      lockTime: 0,
      scope,
    });
    const { r, s } = KEY.sign(Hash.sha256([...preimage]));
    const own = isHigh === true ? new Curve().n.sub(s) : s;
    const signature = Buffer.from(new TransactionSignature(r, own, scope).toChecksigFormat());
    return unlocking(signature, COMPRESSED);
  });
  for (const [index, script] of scripts.entries())
    tx.inputs[index]!.unlockingScript = UnlockingScript.fromHex(script.toString('hex'));
  return tx.toHex();
}
