import type { KeptReceipt } from '@sentinel-node/contracts';
import { BROKEN_PROMISES, ReceiptFolder, type Unanswered } from './io/receipt-folder.ts';
import { WAITING, type ReceiptSample } from './receipt-sample.ts';

export interface ReceiptKeeperOptions {
  readonly folder: string;
  readonly sample: ReceiptSample;
  /** Called after each try to bring everything to the disk. @param failure undefined when all is there */
  readonly onWritten: (failure: { readonly error: unknown } | undefined) => void;
}

/** Brings receipts to the disk. What could not be written is tried again, and the folder opened again, at the next write. */
export class ReceiptKeeper {
  readonly #options: ReceiptKeeperOptions;
  #folder: ReceiptFolder | undefined;
  /** Receipts that are not on disk. @boundedBy WAITING, and the lines of a bulk body */
  #receipts: readonly KeptReceipt[] = [];
  /** Broken promises that are not on disk. @boundedBy BROKEN_PROMISES */
  #broken: readonly KeptReceipt[] = [];
  /** The receipts without an answer that are on disk. */
  #unanswered = '';
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ReceiptKeeperOptions) {
    this.#options = options;
  }

  /** Number of broken promises, on disk or not. */
  get broken(): number {
    const folder = this.#folder;
    const others = this.#broken.filter((one) => folder?.hasBroken(one) !== true);
    return (folder?.broken ?? 0) + others.length;
  }

  add(receipts: readonly KeptReceipt[]): void {
    this.#receipts = [...this.#receipts, ...receipts];
  }

  addBroken(receipt: KeptReceipt): void {
    this.#broken = [...this.#broken, receipt].slice(0, BROKEN_PROMISES);
  }

  /** Writes all that is not on disk. Never throws. */
  write(): Promise<void> {
    this.#writing = this.#writing
      .then(() => this.#write())
      .then(
        () => this.#options.onWritten(undefined),
        (error: unknown) => {
          this.#receipts = this.#receipts.slice(0, WAITING);
          this.#options.onWritten({ error });
        },
      );
    return this.#writing;
  }

  /** @throws Error of node:fs */
  async #write(): Promise<void> {
    this.#folder ??= await this.#open();
    const receipts = this.#receipts;
    if (receipts.length > 0) await this.#folder.append(receipts);
    this.#receipts = this.#receipts.slice(receipts.length);
    for (const one of this.#broken) {
      await this.#folder.saveBroken(one);
      this.#broken = this.#broken.filter((other) => other !== one);
    }
    const { unanswered } = this.#options.sample;
    const keys = keysOf(unanswered);
    if (keys !== this.#unanswered) await this.#folder.saveUnanswered(unanswered);
    this.#unanswered = keys;
  }

  /** Opens the folder and adds receipts of the last runs to the sample. @throws Error of node:fs */
  async #open(): Promise<ReceiptFolder> {
    const { folder: path, sample } = this.#options;
    const folder = await ReceiptFolder.open(path);
    const unanswered = await folder.unanswered();
    this.#unanswered = keysOf(unanswered);
    sample.addUnanswered(unanswered);
    const known = sample.hashes;
    for (const receipt of await folder.sample(WAITING))
      if (!known.has(receipt.reportHash)) sample.add(receipt);
    return folder;
  }
}

/** Returns a text that changes when a receipt joins or leaves. */
const keysOf = (unanswered: readonly Unanswered[]): string =>
  unanswered.map(({ receipt, since }) => `${receipt.reportHash} ${since}`).join('\n');
