/** Writes reports to a state folder and prints each durable one, until killed. */
import { fileId } from './agent-process.ts';
import { openState } from './state-files.ts';

const [folder = '', from = '0'] = process.argv.slice(2);
const state = openState(folder);
const owner = fileId(0);
let durable = Number(from);
for (let number = durable + 1; ; number += 1) {
  const text = `report ${number}`;
  const done = state.commit(owner, [{ do: 'put', part: 'report', number, text }]).then(() => {
    durable = number;
    process.stdout.write(`${durable}\n`);
  });
  if (number % 7 === 0) await done;
}
