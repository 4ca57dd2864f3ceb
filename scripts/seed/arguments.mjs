/** The command line of `npm run seed`. */
import { parseArgs } from 'node:util';

/** Lowest and highest value, and the default. */
const NUMBERS = {
  devices: { from: 1, to: 10_000, default: 300 },
  files: { from: 1, to: 200_000, default: 20_000 },
  alerts: { from: 0, to: 1_000_000, default: 100_000 },
  days: { from: 0, to: 365, default: 30 },
  seed: { from: 0, to: 2 ** 32 - 1, default: 1 },
};
const FILES_PER_DEVICE = 10_000;
/** Limit, because an alert of a file is handled before the file raises the next alert of this type. */
const ALERTS_PER_FILE = 100;

export const HELP = `npm run seed [-- OPTION …]

Makes an organisation with devices, files, alerts and people, to try the console with. Its services run in this process and
take the calls that browsers and agents make: reports are judged, commands decide, views follow from the log.

  --devices N      ${range('devices')}
  --files N        ${range('files')}; at most ${FILES_PER_DEVICE.toLocaleString('en-US')} a device
  --alerts N       ${range('alerts')}; at most ${ALERTS_PER_FILE} a file
  --days N         how far back the history reaches, ${range('days')}
  --seed N         the same number makes the same devices, files, changes and decisions, with ids and times of their own;
                   ${range('seed')}
  --name NAME      of the organisation; default "Big Corp". Its people sign in as admin@big-corp.example and so on
  --into-existing  adds to a log that has records. Its time does not go back, so --days must be 0
  --help           this text

Data goes where npm start keeps it: SENTINEL_DATA_DIR (default ./data), or Kafka and MongoDB when the environment names
them. Wallet, mail and ledger must be those for development, because people sign in and read mail, and anchors cost nothing.
No other process may use the data meanwhile. Agents do not run afterwards: devices count as silent after a day or three.
`;

function range(name) {
  const { from, to, default: standard } = NUMBERS[name];
  const text = (number) => number.toLocaleString('en-US');
  return `${text(from)} to ${text(to)} (default ${text(standard)})`;
}

/** @returns {{help?: true, problem?: string, devices: number, files: number, alerts: number, days: number, seed: number, name: string, intoExisting: boolean}} */
export function parseArguments(args) {
  const text = { type: 'string' };
  const flag = { type: 'boolean', default: false };
  let values;
  try {
    ({ values } = parseArgs({
      args,
      options: {
        ...Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, text])),
        name: { ...text, default: 'Big Corp' },
        'into-existing': flag,
        help: { ...flag, short: 'h' },
      },
    }));
  } catch (error) {
    return { problem: `${error.message}; see npm run seed -- --help` };
  }
  if (values.help) return { help: true };
  const found = { name: values.name.trim(), intoExisting: values['into-existing'] };
  for (const [name, { from, to, default: standard }] of Object.entries(NUMBERS)) {
    const given = values[name] ?? String(name === 'days' && found.intoExisting ? 0 : standard);
    const number = Number(given);
    if (given.trim() === '' || !Number.isInteger(number) || number < from || number > to)
      return { problem: `--${name} is a whole number, ${range(name)}` };
    found[name] = number;
  }
  const problem = problemOf(found);
  return problem === undefined ? found : { problem };
}

function problemOf({ devices, files, alerts, days, name, intoExisting }) {
  if (name === '' || name.length > 100) return '--name has 1 to 100 characters';
  if (files < devices) return '--files must be as many as --devices at least: each device has a file';
  if (files > devices * FILES_PER_DEVICE)
    return `--devices must be at least ${Math.ceil(files / FILES_PER_DEVICE)} for so many files`;
  if (alerts > files * ALERTS_PER_FILE)
    return `--files must be at least ${Math.ceil(alerts / ALERTS_PER_FILE)} for so many alerts`;
  if (intoExisting && days > 0) return '--into-existing needs --days 0: the time of a log does not go back';
  return undefined;
}
