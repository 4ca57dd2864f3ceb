/** Tests the rules of the bound; services/query compares the bound with a compiler. */
import t from 'tap';
import { regexpProgramSteps } from '../src/regexp-size.ts';

/** Instructions for start and end. */
const FRAME = 2;
const TABLE = 10;

const cases: Readonly<Record<string, readonly (readonly [pattern: string, steps: number])[]>> = {
  'an atom is one instruction, nothing is one too': [
    ['', 1],
    ['a', 1],
    ['ab', 2],
    ['^a$', 3],
    ['a{3', 3],
    ['a)', 2],
    ['a)b', 3],
    ['a{12345}', 8],
  ],
  'an alternative is one more': [
    ['a|b', 3],
    ['a|b|cd', 6],
    ['(|a)', 5],
    ['|{3}', 5],
  ],
  'a group is two more when it captures': [
    ['(a)', 3],
    ['(?<n>a)', 3],
    ['(?P<n>a)', 3],
    ['(?:a)', 1],
    ['(?i:a)', 1],
    ['(a|bc)', 6],
    ['(a', 3],
    ['((((', 9],
  ],
  'flags are nothing, and what follows them repeats what was before': [
    ['(?i)a', 1],
    ['a(?i){3}', 3],
  ],
  'a loop is two more, an option one': [
    ['a*', 3],
    ['a+', 3],
    ['a?', 2],
    ['a*?', 4],
    ['a**', 5],
  ],
  'a repetition stands there as often': [
    ['a{3}', 3],
    ['a{3}?', 4],
    ['a{0}', 1],
    ['ab{3}', 4],
    ['(ab){3}', 12],
    ['(?:ab){3}', 6],
    ['(?:a|){2}', 6],
    ['((a){2}){3}', 24],
    ['x{1000}', 1_000],
    ['{3}', 3],
    ['(?:){3}', 3],
  ],
  'without a most it ends in a loop, with one each further is an option': [
    ['a{2,}', 4],
    ['a{2,5}', 8],
    ['a{5,2}', 5],
    ['a{,5}', 5],
  ],
  'a class is one atom, wherever its brackets stand': [
    ['[a]', 1],
    ['[abc]{3}', 3],
    ['[]a]{2}', 2],
    ['[^]a]{2}', 2],
    ['[^a]', 1],
    ['[[:alpha:]]{2}', 2],
    ['[[:^alpha:]x]{2}', 2],
    ['[[:a]{2}', 2],
    ['[a\\]b]{2}', 2],
    ['[a', 1],
    ['[ab]c', 2],
  ],
  'an escape is one atom': [
    ['\\d{3}', 3],
    ['\\', 1],
    ['\\x41{3}', 3],
    ['\\x{10FFFF}{3}', 3],
    ['\\101{3}', 3],
    ['\\1018', 2],
    ['\\.a', 2],
  ],
  'quoted characters stand for themselves': [
    ['\\Qa.b\\E', 3],
    ['\\Qab\\E{3}', 4],
    ['\\Qa(\\Eb', 3],
    ['\\Q', 1],
    ['\\Qab', 2],
  ],
  'a table is dear, once a mention': [
    ['\\pL', 1 + TABLE],
    ['\\pL{3}', 3 + TABLE],
    ['\\p{Greek}', 1 + TABLE],
    ['\\P{Greek}{2}', 2 + TABLE],
    ['[\\pL]', 1 + TABLE],
    ['[\\pL\\p{Greek}\\d]', 1 + 2 * TABLE],
  ],
};

for (const [title, rows] of Object.entries(cases))
  t.test(title, async (t) => {
    for (const [pattern, steps] of rows) t.equal(regexpProgramSteps(pattern), FRAME + steps, pattern);
  });
