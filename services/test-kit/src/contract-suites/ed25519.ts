import { readFile } from 'node:fs/promises';
import t from 'tap';

/** Verifies a signature (RFC 8032): message, signature, public key. */
type Verify = (
  message: Uint8Array,
  signature: Uint8Array,
  publicKey: Uint8Array,
) => boolean | Promise<boolean>;

interface Vectors {
  readonly message: string;
  readonly cases: readonly {
    readonly name: string;
    readonly publicKey: string;
    readonly signature: string;
    readonly holds: boolean;
  }[];
}

const VECTORS = new URL('../../../../../contracts/vectors/signatures.json', import.meta.url);

/** Tests signatures about which implementations of Ed25519 differ: one answer, whoever checks (docs/formats.md, "Signatures"). */
export function ed25519Contract(verify: Verify): void {
  t.test('signatures that others judge differently', async (t) => {
    const { cases, message } = JSON.parse(await readFile(VECTORS, 'utf8')) as Vectors;
    t.ok(cases.length > 10);
    for (const { holds, name, publicKey, signature } of cases) {
      const [of, by, key] = [message, signature, publicKey].map((hex) =>
        Uint8Array.from(Buffer.from(hex, 'hex')),
      );
      t.equal(await verify(of!, by!, key!), holds, name);
    }
  });
}
