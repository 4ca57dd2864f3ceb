/** File of a witness: its key and the last checkpoint of each log. One file, so that neither can be lost alone. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Cosigner } from '@sentinel-node/contracts';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import { AgentConfigError } from '../config-error.ts';
import { seal, unseal, writeWhole } from '../io/sealed.ts';

const FileSchema = Type.Object(
  {
    v: Type.Literal(1),
    name: Type.String(),
    /** Private key in PKCS #8, PEM. */
    privateKey: Type.String(),
    /** Signed notes by log origin. */
    logs: Type.Record(Type.String(), Type.String()),
  },
  { additionalProperties: false },
);

export interface WitnessKey extends Cosigner {
  sign(message: Uint8Array): Uint8Array;
}

/** A witness's file, used by one process at a time (`lockState`). */
export class WitnessFile {
  readonly key: WitnessKey;
  readonly #path: string;
  readonly #pem: string;
  #logs: Readonly<Record<string, string>>;

  private constructor(path: string, name: string, key: KeyObject, logs: Readonly<Record<string, string>>) {
    this.#path = path;
    this.#pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    this.#logs = logs;
    const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
    const publicKey = new Uint8Array(Buffer.from(x, 'base64url'));
    this.key = { name, type: 4, publicKey, sign: (message) => new Uint8Array(sign(null, message, key)) };
  }

  /**
   * Reads the file, or creates it with a new key.
   * @param name of the key; undefined accepts the file's name
   * @throws AgentConfigError the file is damaged, has another name, or is missing and no name is given
   */
  static async open(path: string, name: string | undefined): Promise<WitnessFile> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (text === undefined) return WitnessFile.#make(path, name);
    const value = unseal(text);
    // Never replace a broken file: a witness without its state would sign a second log.
    if (!Check(FileSchema, value))
      throw new AgentConfigError(`${path} is not the whole file of a witness; never go on without it`);
    if (name !== undefined && name !== value.name)
      throw new AgentConfigError(`${path} has the key of ${value.name}: a key has one name for ever`);
    return new WitnessFile(path, value.name, createPrivateKey(value.privateKey), value.logs);
  }

  static async #make(path: string, name: string | undefined): Promise<WitnessFile> {
    if (name === undefined)
      throw new AgentConfigError(`${path} is not there yet: give --name for the new key`);
    const file = new WitnessFile(path, name, generateKeyPairSync('ed25519').privateKey, {});
    await file.#write({});
    return file;
  }

  /** Returns the log's last saved signed note; undefined without one. */
  savedNote(origin: string): string | undefined {
    return Object.hasOwn(this.#logs, origin) ? this.#logs[origin] : undefined;
  }

  /** Saves a log's note. Resolves when it is durable. @throws Error of node:fs, with the earlier note still valid */
  async saveNote(origin: string, note: string): Promise<void> {
    const logs = { ...this.#logs, [origin]: note };
    await this.#write(logs);
    this.#logs = logs;
  }

  async #write(logs: Readonly<Record<string, string>>): Promise<void> {
    await writeWhole(this.#path, seal({ v: 1, name: this.key.name, privateKey: this.#pem, logs }));
    // Sync the folder, which contains the file's new name.
    const folder = await open(dirname(this.#path));
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}
