import { parseOptions } from '@sentinel-node/agent/arguments';
import { VIEW_COLLECTIONS, type ViewName } from '@sentinel-node/query';
import { KEEPING_WORDS, NOT_VIEWS } from '../not-views.ts';
import { operate, OPTIONS, runCommand, UsageError } from '../operator/run.ts';
import { rebuildInPlace, topicsOf } from './rebuild-views.ts';

const VIEW_NAMES = VIEW_COLLECTIONS.map(({ name }) => name);

/** Longest line of the list of views, in characters. */
const LINE_CHARACTERS = 90;

const HELP = `usage: sentinel rebuild VIEW… | --all [--data DIR] [--json]

Makes views anew from the log, in new collections that then take the place of the old ones.

On Kafka and MongoDB (SENTINEL_KAFKA_BROKERS, SENTINEL_MONGODB_URL, SENTINEL_SECRET) the services go on meanwhile. A view
may lack its newest records for the moment in which it is switched. A rebuild that was killed is repeated: run it again
a minute later. On the embedded store the system must be stopped.

  VIEW         ${wrapped(VIEW_NAMES)}
  --all        all of these; the log is read once
  --data DIR   the data folder of the embedded store (default: SENTINEL_DATA_DIR, else ./data)
  --json       the result as JSON: {"rebuilt": [views], "reads": …}
  --help       this text

Progress goes to standard error. Exit code 0: rebuilt; 1: it could not be done, in one line; 2: wrong usage.
`;

function wrapped(names: readonly string[]): string {
  const lines = [''];
  for (const name of names) {
    if (lines.at(-1)!.length + name.length > LINE_CHARACTERS) lines.push('');
    lines.push(`${lines.pop()!}${name}, `);
  }
  return lines.join('\n               ').replace(/, $/, '');
}

/** Runs `sentinel rebuild`. @returns the exit code */
export async function runRebuild(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...args],
    allowPositionals: true,
    options: {
      ...OPTIONS,
      all: { type: 'boolean' },
    },
  });
  return runCommand({ name: 'rebuild', help: HELP }, values, () => {
    const views = viewsOf(positionals, values.all === true);
    return operate(
      { command: 'rebuild', dataDir: values.data },
      async ({ counter, eventLog, store, writeLine, signal }) => {
        await counter.plan(Object.fromEntries([...topicsOf(views)].map((topic) => [topic, 1])));
        await rebuildInPlace({ eventLog, store, writeLine, signal }, views);
        counter.writeReads();
        process.stdout.write(
          values.json === true
            ? `${JSON.stringify({ rebuilt: views, reads: counter.reads, total: counter.total })}\n`
            : `rebuilt: ${views.join(', ')}\n`,
        );
        return 0;
      },
    );
  });
}

/** Returns the named views, or all. @throws UsageError */
export function viewsOf(names: readonly string[], all: boolean): readonly ViewName[] {
  const there = `views are ${VIEW_NAMES.join(', ')}`;
  if (all && names.length > 0) throw new UsageError('takes names of views or --all, not both');
  if (all) return VIEW_NAMES;
  if (names.length === 0) throw new UsageError(`which view? ${there}; or --all`);
  const unknown = names.find((name) => !VIEW_NAMES.some((view) => view === name));
  if (unknown === undefined) return VIEW_NAMES.filter((name) => names.includes(name));
  const isKept = NOT_VIEWS.find(({ spec }) => spec.name === unknown);
  if (isKept === undefined) throw new UsageError(`there is no view ${unknown}; ${there}`);
  throw new UsageError(`${unknown} is not a view: ${KEEPING_WORDS[isKept.keeping]}; ${there}`);
}
