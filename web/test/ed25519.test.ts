/** Signatures about which implementations of Ed25519 differ: one answer, whoever checks (docs/formats.md, "Signatures"). */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { verifyEd25519 } from '../src/verify/ed25519.ts';

interface Vectors {
  readonly message: string;
  readonly cases: readonly {
    readonly name: string;
    readonly publicKey: string;
    readonly signature: string;
    readonly holds: boolean;
  }[];
}
const { cases, message } = JSON.parse(
  await readFile(new URL('../../../contracts/vectors/signatures.json', import.meta.url), 'utf8'),
) as Vectors;

t.test('signatures that others judge differently', async (t) => {
  t.ok(cases.length > 10);
  for (const { holds, name, publicKey, signature } of cases) {
    const [of, by, key] = [message, signature, publicKey].map((hex) =>
      Uint8Array.from(Buffer.from(hex, 'hex')),
    );
    t.equal(verifyEd25519(of!, by!, key!), holds, name);
  }
});
