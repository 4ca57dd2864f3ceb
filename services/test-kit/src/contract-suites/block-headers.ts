import { parseBlockHeader, shownHash } from '@sentinel-node/contracts';
import type { BlockHeaders } from '@sentinel-node/platform';
import type { Test } from 'tap';

export interface HeadersUnderTest {
  readonly headers: BlockHeaders;
  /** Height of the first header of the port. */
  readonly first: number;
  /** Makes the ledger one block longer and the port aware of the block. */
  readonly grow: () => Promise<void>;
}

/** Returns started headers, three or more. Registers their end in `t.teardown`. */
export type MakeHeaders = (t: Test) => Promise<HeadersUnderTest>;

/** Tests that every adapter of `BlockHeaders` must pass. */
export async function blockHeadersContract(t: Test, name: string, make: MakeHeaders): Promise<void> {
  await t.test(`${name}: headers up to the height follow one another`, async (t) => {
    const { first, headers } = await make(t);
    const height = await headers.height();
    t.ok(height >= first + 2);
    t.equal(headers.firstHeight, first);
    let before: string | undefined;
    for (let at = first; at <= height; at++) {
      const header = parseBlockHeader(Buffer.from((await headers.header(at)) ?? '', 'hex'))!;
      if (before !== undefined) t.equal(shownHash(header.previous), before);
      before = shownHash(header.hash);
    }
  });

  await t.test(`${name}: there is no header beside the chain`, async (t) => {
    const { first, headers } = await make(t);
    for (const at of [first - 1, -1, (await headers.height()) + 1, first + 0.5, Number.MAX_SAFE_INTEGER])
      t.equal(await headers.header(at), undefined, String(at));
  });

  await t.test(`${name}: a new block raises the height by one, and what was stays`, async (t) => {
    const { first, grow, headers } = await make(t);
    const height = await headers.height();
    const old = await headers.header(first + 1);
    await grow();
    t.equal(await headers.height(), height + 1);
    t.match(await headers.header(height + 1), /^[0-9a-f]{160}$/);
    t.equal(await headers.header(first + 1), old);
  });

  await t.test(`${name}: it stops, and again`, async (t) => {
    const { headers } = await make(t);
    await headers.stop();
    await headers.stop();
    t.pass('nothing is left to wait for');
  });
}
