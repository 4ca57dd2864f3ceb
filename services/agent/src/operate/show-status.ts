import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { AgentConfigError } from '../config-error.ts';
import { WRONG } from './exit-codes.ts';
import { defaultStateFolder } from './sources.ts';
import { readStatuses, statusText } from './status-command.ts';

/**
 * Prints the status of each agent that has its state in a folder. @returns the exit code
 * @throws AgentConfigError the folder cannot be read, or no agent has kept its state there
 */
export async function showStatus(base = defaultStateFolder(), json = false): Promise<number> {
  const found = await readStatuses(base).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw new AgentConfigError(
      `the state folder ${base} cannot be read (${codeOf(error) ?? messageOf(error)})`,
    );
  });
  if (found.length === 0)
    throw new AgentConfigError(`no agent has kept its state in ${base}; name its --state`);
  process.stdout.write(json ? `${JSON.stringify(found, null, 2)}\n` : found.map(statusText).join('\n'));
  return found.every(({ faults }) => faults.length === 0) ? 0 : WRONG;
}
