import { SERVICES, VARIABLES, type ServiceName, type Variable } from './variables.ts';

/** Longest line of the help, in characters. */
const HELP_WIDTH = 100;

const variables: readonly Variable<unknown>[] = Object.values<Variable<unknown>>(VARIABLES);

/** Returns the variables of `services` as plain text for `--help`. */
export function configHelp(services: readonly ServiceName[] = SERVICES): string {
  const used = variables.filter((variable) =>
    variable.services.some((service) => services.includes(service)),
  );
  const width = Math.max(...used.map(({ name }) => name.length)) + 2;
  return used
    .map(({ name, meaning, defaultText }) => {
      const suffix = defaultText === undefined ? '' : ` (default: ${defaultText})`;
      const lines = wrapped(`${meaning.replaceAll('`', '')}${suffix}`, HELP_WIDTH - width - 2);
      return `  ${name.padEnd(width)}${lines.join(`\n${' '.repeat(width + 2)}`)}\n`;
    })
    .join('');
}

/** Returns the Markdown table of the README. */
export function configTable(): string {
  const rows = variables.map(({ name, meaning, defaultText, services }) => {
    const users = services.length === SERVICES.length ? 'all' : services.join(', ');
    return `| \`${name}\` | ${defaultText === undefined ? '' : `\`${defaultText}\``} | ${meaning} | ${users} |\n`;
  });
  return `| variable | default | meaning | used by |\n|---|---|---|---|\n${rows.join('')}`;
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last.length > 0 && last.length + word.length + 1 > width) lines.push(word);
    else lines[lines.length - 1] = last.length === 0 ? word : `${last} ${word}`;
  }
  return lines;
}
