/** Changes the structure of JSON documents at random, the same way for the same seed. */
import { places, type Node } from './json-pointers.ts';

/** Returns a generator of numbers from 0 to below 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface Dice {
  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number;
  one<T>(of: readonly T[]): T;
}

export function diceOf(seed: number): Dice {
  const random = randomOf(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  return { below, one: (of) => of[below(of.length)]! };
}

const OTHER_VALUES: readonly unknown[] = [
  ...[null, true, '', 'x', 0, 1, -1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e300, 0.5, [], {}, [null], { a: 1 }],
  ...['ff', 'FF', 'f', '00'.repeat(32), '00'.repeat(80), '\ud800', '—', '\n', '__proto__', '1'],
];

type Change = readonly [name: string, apply: (place: ReturnType<typeof places>[number], dice: Dice) => void];

const put = (holder: Node, key: string, value: unknown): void => {
  // An assignment would not make a member `__proto__`.
  Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true });
};

const remove = (holder: Node, key: string): void => {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
};

const CHANGES: readonly Change[] = [
  ['without', ({ holder, key }) => remove(holder, key)],
  ['other', ({ holder, key }, dice) => put(holder, key, dice.one(OTHER_VALUES))],
  ['varied', ({ holder, key, value }, dice) => put(holder, key, varied(value, dice))],
  ['varied', ({ holder, key, value }, dice) => put(holder, key, varied(value, dice))],
  ['exchanged', ({ holder, key, value }, dice) => exchange(holder, key, value, dice)],
  ['doubled', ({ holder, key, value }) => double(holder, key, value)],
  ['more', ({ holder, key, value }, dice) => more(holder, key, value, dice)],
  ['in a list', ({ holder, key, value }) => put(holder, key, [value])],
];

function exchange(holder: Node, key: string, value: unknown, dice: Dice): void {
  const other = dice.one(Object.keys(holder));
  put(holder, key, (holder as Record<string, unknown>)[other]);
  put(holder, other, value);
}

function double(holder: Node, key: string, value: unknown): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(value));
  else put(holder, `${key}2`, structuredClone(value));
}

function more(holder: Node, key: string, value: unknown, dice: Dice): void {
  if (Array.isArray(value)) value.push(structuredClone(dice.one([...(value as unknown[]), null])));
  else if (typeof value === 'object' && value !== null)
    put(value as Node, dice.one(['more', '__proto__', 'Format', '0', 'constructor']), 1);
  else put(holder, key, dice.one(OTHER_VALUES));
}

function varied(value: unknown, dice: Dice): unknown {
  if (typeof value === 'number')
    return dice.one([value + 1, value - 1, -value, value + 0.5, value * 2 ** 32, String(value), [value]]);
  if (typeof value === 'string') return variedText(value, dice);
  if (!Array.isArray(value)) return value === null ? {} : Object.entries(value as object);
  const list = value as unknown[];
  const at = dice.below(list.length + 1);
  return dice.one([
    [...list].reverse(),
    [...list, ...list],
    list.slice(at),
    list.slice(0, at),
    [...list.slice(at), ...list.slice(0, at)],
    Object.fromEntries(Object.entries(list)),
  ]);
}

function variedText(value: string, dice: Dice): string {
  const at = dice.below(value.length + 1);
  const digit = dice.one([...'0123456789abcdefAF \n']);
  return dice.one([
    value.toUpperCase(),
    value.slice(0, -1),
    value.slice(2),
    value.slice(0, at) + value.slice(at + 2),
    value.slice(0, at) + digit + value.slice(at + 1),
    value.slice(0, at) + digit + digit + value.slice(at),
    value + value,
    ` ${value}`,
    `${value}\n`,
    `${value}00`,
    `0x${value}`,
  ]);
}

/** Returns a changed copy and a description of the change. @param donor document whose parts may replace others */
export function restructured<T extends Node>(
  root: T,
  donor: Node,
  dice: Dice,
): { readonly what: string; readonly value: T } {
  const value = structuredClone(root);
  const all = places(value);
  const place = dice.one(all);
  if (dice.below(5) === 0) {
    const alike = places(donor).filter(({ key }) => key === place.key);
    const given = dice.one(alike.length > 0 ? alike : places(donor));
    put(place.holder, place.key, structuredClone(given.value));
    return { what: `${given.pointer} at ${place.pointer}`, value };
  }
  const [name, apply] = dice.one(CHANGES);
  apply(place, dice);
  return { what: `${name} ${place.pointer}`, value };
}

/** Spells one number of the text differently, by `spell`. */
function respelled(text: string, dice: Dice, spell: (number: string) => string): string {
  const numbers = [...text.matchAll(/(?<=[:[,])\d+(?=[,}\]])/g)];
  if (numbers.length === 0) return text;
  const { 0: number, index } = dice.one(numbers);
  return text.slice(0, index) + spell(number) + text.slice(index + number.length);
}

/** Other bytes of the same or nearly the same document. Names that begin with `free` change only blanks. */
export const SPELLINGS: readonly (readonly [
  name: string,
  spell: (text: string, dice: Dice) => string | Buffer,
])[] = [
  ['free: blanks', (text) => JSON.stringify(JSON.parse(text), null, 1).replaceAll('\n', '\r\t')],
  ['free: blanks around', (text) => `\t \r${text} \r`],
  ['a fraction', (text, dice) => respelled(text, dice, (number) => `${number}.0`)],
  ['an exponent', (text, dice) => respelled(text, dice, (number) => `${number}e0`)],
  ['a large exponent', (text, dice) => respelled(text, dice, (number) => `${number}E+308`)],
  ['a sign', (text, dice) => respelled(text, dice, (number) => `-${number}`)],
  ['a plus sign', (text, dice) => respelled(text, dice, (number) => `+${number}`)],
  ['a zero in front', (text, dice) => respelled(text, dice, (number) => `0${number}`)],
  ['many digits', (text, dice) => respelled(text, dice, (number) => number + '0'.repeat(5_000))],
  ['hexadecimal', (text, dice) => respelled(text, dice, (number) => `0x${number}`)],
  ['no number', (text, dice) => respelled(text, dice, () => dice.one(['NaN', 'Infinity', '-Infinity']))],
  ['a blank in a number', (text, dice) => respelled(text, dice, (number) => `${number} 0`)],
  ['a member twice', (text) => text.replace(/"(\w+)":("[^"]*"|\d+)/, '"$1":$2,"$1":$2')],
  ['a member twice, apart', (text) => text.replace(/^\{("\w+":(?:"[^"]*"|\d+))(.*)\}$/s, '{$1$2,$1}')],
  [
    'an escaped name',
    (text) =>
      text.replace(
        /"(\w)(\w+)":/,
        (_, first: string, rest: string) => `"\\u00${first.charCodeAt(0).toString(16)}${rest}":`,
      ),
  ],
  [
    'an escaped digit',
    (text) =>
      text.replace(
        /:"([0-9a-f])([0-9a-f]+)"/,
        (_, first: string, rest: string) => `:"\\u00${first.charCodeAt(0).toString(16)}${rest}"`,
      ),
  ],
  ['a byte order mark', (text) => `\ufeff${text}`],
  [
    'another blank',
    (text, dice) => text.replace('{', `{${dice.one(['\u00a0', '\v', '\f', '\u2028', '\0'])}`),
  ],
  ['something after it', (text, dice) => text + dice.one(['{}', '\0', ',', 'null', '//', '}', ']'])],
  ['a comma too many', (text) => text.replace('}', ',}')],
  ['a comment', (text) => `/**/${text}`],
  ['cut short', (text, dice) => text.slice(0, dice.below(text.length))],
  ['nothing', () => ''],
  ['deep', (text, dice) => text.replace(/:\d+/, `:${'['.repeat(dice.one([3, 7, 20_000]))}`)],
  [
    'deep and closed',
    (text, dice) => {
      const depth = dice.one([1, 3, 7, 20_000]);
      return text.replace(/:(\d+)/, `:${'['.repeat(depth)}$1${']'.repeat(depth)}`);
    },
  ],
  [
    'no UTF-8',
    (text, dice) => {
      const bytes = Buffer.from(text);
      bytes[dice.below(bytes.length)] = dice.one([0x80, 0xc0, 0xff, 0xed, 0xf8]);
      return bytes;
    },
  ],
  [
    'half a character',
    (text, dice) => {
      const at = dice.below(text.length);
      return Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from(text.slice(at)),
      ]);
    },
  ],
  ['UTF-16', (text) => Buffer.from(text, 'utf16le')],
];
