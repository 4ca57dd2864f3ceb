/** Makes a process's clock wrong by the ms in the file that SENTINEL_TEST_CLOCK names, read at each call. */
import { readFileSync } from 'node:fs';

const file = process.env['SENTINEL_TEST_CLOCK'] ?? '';
const right = Date.now.bind(Date);
const wrong = (): number => right() + Number(readFileSync(file, 'utf8'));
const RightDate = Date;

class WrongDate extends RightDate {
  constructor(...parts: readonly (string | number | Date)[]) {
    if (parts.length === 0) super(wrong());
    else super(parts[0]!);
  }
  static override now(): number {
    return wrong();
  }
}
globalThis.Date = WrongDate as unknown as DateConstructor;
