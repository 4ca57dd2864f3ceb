import { assemble, type Config } from './config.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { crossProblems } from './cross-rules.ts';
import { nearestWord } from './nearest.ts';
import {
  SERVICES,
  TEST_PREFIX,
  VARIABLES,
  type ServiceName,
  type Values,
  type Variable,
} from './variables.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Longest part of a wrong value that a message repeats, in characters. */
const SHOWN_VALUE_CHARACTERS = 60;

/**
 * Returns the configuration that `env` describes for a process that runs `services`. An empty variable counts as
 * unset.
 * @throws ConfigError with every problem found, not only the first
 */
export function readConfig(env: Environment, services: readonly ServiceName[] = SERVICES): Config {
  const production = env['NODE_ENV'] === 'production';
  const problems: ConfigProblem[] = unknownVariables(env);
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries<Variable<unknown>>(VARIABLES)) {
    const text = env[variable.name] || variable.defaultText;
    const parsed = text === undefined ? { value: undefined } : variable.parse(text);
    if ('value' in parsed) values[key] = parsed.value;
    else
      problems.push({ variable: variable.name, message: wrongValue(variable, text ?? '', parsed.problem) });
  }
  const given = new Set(Object.keys(env).filter((name) => env[name]));
  problems.push(...crossProblems(values, services, production, given));
  if (problems.length > 0) throw new ConfigError(problems);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every variable was parsed, or there was a problem
  return assemble(values as Values, production);
}

function wrongValue(variable: Variable<unknown>, text: string, problem: string): string {
  if (variable.secret) return `the value cannot be used; ${problem}`;
  return `${JSON.stringify(text.slice(0, SHOWN_VALUE_CHARACTERS))} cannot be used; ${problem}`;
}

function unknownVariables(env: Environment): ConfigProblem[] {
  const known = Object.values(VARIABLES).map(({ name }) => name);
  return Object.keys(env)
    .filter((name) => name.startsWith('SENTINEL_') && !name.startsWith(TEST_PREFIX) && !known.includes(name))
    .sort()
    .map((variable) => {
      const close = nearestWord(variable, known);
      const hint = close === undefined ? '--help lists the known ones' : `did you mean ${close}?`;
      return { variable, message: `is not a known variable; ${hint}` };
    });
}
