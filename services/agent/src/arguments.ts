/** Parses the arguments of commands. */
import { parseArgs, type ParseArgsConfig } from 'node:util';

class RepeatedOptionError extends TypeError {
  readonly code = 'ERR_PARSE_ARGS_REPEATED_OPTION';
}

class EmptyOptionError extends TypeError {
  readonly code = 'ERR_PARSE_ARGS_EMPTY_OPTION';
}

/**
 * Parses as `parseArgs` does, but refuses an option that is given twice: `parseArgs` takes the last and passes over the
 * others, so that a check would leave out an input without a word. Refuses an empty value too, which a variable without a
 * value gives: as a path it would be the current folder.
 * @throws TypeError with a code that begins with `ERR_PARSE_ARGS`
 */
export function parseOptions<const T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  const tokens = parseArgs({ ...config, tokens: true }).tokens!;
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    if (token.value?.trim() === '') throw new EmptyOptionError(`--${token.name} has an empty value`);
    if (config.options?.[token.name]?.multiple === true) continue;
    if (seen.has(token.name)) throw new RepeatedOptionError(`--${token.name} is given twice`);
    seen.add(token.name);
  }
  return parseArgs(config);
}

const WRONG_USAGE = 2;

/** Returns a function that writes what is wrong with a command's use, and its help. It returns the exit code. */
export function misuseOf(command: string, help: string) {
  return (wrong: string, stderr: { write(text: string): unknown } = process.stderr): number => {
    stderr.write(`${command}: ${wrong}\n\n${help}`);
    return WRONG_USAGE;
  };
}
