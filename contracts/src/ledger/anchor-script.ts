import { ByteWriter, readU64, type Bytes32 } from '../bytes/byte-writer.ts';
import { equalBytes, fromHex } from '../bytes/bytes.ts';

/** Data that an anchor transaction commits to; hashes are 32 bytes. */
export interface Anchor {
  readonly logId: Uint8Array;
  readonly batch: number;
  readonly headerHash: Uint8Array;
  /** Root of the log including this batch. */
  readonly logRoot: Uint8Array;
}

export const ANCHOR_SCRIPT_BYTES = 113;
/** OP_FALSE OP_RETURN OP_PUSHDATA1 109 ‖ "SNTL" ‖ version 1. */
const ANCHOR_PREFIX = fromHex('006a4c6d534e544c01');

/** Returns the locking script of output 0 of an anchor, 113 bytes. @throws RangeError when a field has the wrong size */
export function encodeAnchorScript(anchor: {
  readonly [K in keyof Anchor]: K extends 'batch' ? number : Bytes32;
}): Uint8Array {
  return new ByteWriter(ANCHOR_SCRIPT_BYTES)
    .raw(ANCHOR_PREFIX)
    .bytes32(anchor.logId)
    .u64(anchor.batch)
    .bytes32(anchor.headerHash)
    .bytes32(anchor.logRoot)
    .view();
}

/** Parses an anchor script. Returns undefined for any other script, also with another push opcode for the same data. */
export function parseAnchorScript(script: Uint8Array): Anchor | undefined {
  if (script.length !== ANCHOR_SCRIPT_BYTES || !equalBytes(script.subarray(0, 9), ANCHOR_PREFIX))
    return undefined;
  const batch = readU64(script, 41);
  if (batch === undefined) return undefined;
  return {
    logId: script.slice(9, 41),
    batch,
    headerHash: script.slice(49, 81),
    logRoot: script.slice(81, 113),
  };
}
