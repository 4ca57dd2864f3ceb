const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};
const LEVEL_WIDTH = 5;
/** Members that are left out of lines for a terminal. */
const LEFT_OUT = new Set(['level', 'time', 'msg', 'service', 'pid', 'hostname', 'v', 'alarm']);

/**
 * Turns a JSON log line into a line for a terminal: time of day, level, message, members. Returns any other line
 * unchanged.
 */
export function humanLine(line: string): string {
  const entry = parsed(line);
  if (entry === undefined) return line;
  const time = typeof entry['time'] === 'string' ? entry['time'].slice(11, 19) : '';
  const level = (LEVELS[Number(entry['level'])] ?? '').padEnd(LEVEL_WIDTH);
  const members = Object.entries(entry)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${shown(value)}`);
  return [time, level, String(entry['msg'] ?? ''), ...members].filter((part) => part !== '').join(' ') + '\n';
}

function shown(value: unknown): string {
  if (typeof value === 'string') return /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value);
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
