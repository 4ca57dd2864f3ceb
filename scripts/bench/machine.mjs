import { spawnSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { root } from '../lib/prepare.mjs';

/** Returns the machine and the time, without which figures mean nothing. */
export function machine() {
  const processors = cpus();
  return {
    date: new Date().toISOString(),
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    commit: commitOf(),
    /** Load of the last minute before the run: above 0, other work used the cores too. */
    load: loadavg()[0],
  };
}

export function machineLines({ date, processor, cores, memoryGiB, node, platform, commit, load }) {
  return `${date}, ${commit}\n${cores} × ${processor}, ${memoryGiB} GiB, ${platform}, Node ${node}\nload before the run: ${load.toFixed(2)}\n`;
}

function commitOf() {
  const options = { cwd: root, encoding: 'utf8' };
  const head = spawnSync('git', ['rev-parse', '--short', 'HEAD'], options);
  if (head.status !== 0) return 'no commit';
  const changed = spawnSync('git', ['status', '--porcelain', '--', 'contracts', 'services'], options);
  return `commit ${head.stdout.trim()}${changed.stdout === '' ? '' : ', changed since'}`;
}
