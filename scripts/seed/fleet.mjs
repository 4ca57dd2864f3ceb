/** The devices and files of the organisation, as a person would add them. Pure: the random numbers are an argument. */

const SITES = ['Vienna', 'Graz', 'Linz', 'Zürich', 'Łódź', 'Brno', 'Porto', 'Osaka'];
const ROLES = [
  { name: 'web', path: '/srv/web', description: 'Serves the shop' },
  { name: 'db', path: '/var/lib/postgresql', description: 'PostgreSQL, one of three' },
  { name: 'pay', path: '/opt/payments', description: 'Payments; every change needs a ticket' },
  { name: 'gate', path: '/etc', description: '' },
  { name: 'till', path: '/opt/till', description: 'Till in a branch' },
  { name: 'mail', path: '/var/mail', description: '' },
];
/** Files whose settings and contents are the same on many devices. */
const TEMPLATES = [
  { name: 'sshd_config', path: '/etc/ssh/sshd_config', kind: 'fixed' },
  { name: 'sudoers', path: '/etc/sudoers', kind: 'fixed' },
  { name: 'auth.log', path: '/var/log/auth.log', kind: 'rolled' },
  { name: 'access.log', path: 'logs/access.log', kind: 'rolled' },
  { name: 'error.log', path: 'logs/error.log', kind: 'log' },
  { name: 'server', path: 'bin/server', kind: 'program' },
  { name: 'settings.json', path: 'conf/settings.json', kind: 'fixed' },
  { name: 'ledger.csv', path: 'data/ledger.csv', kind: 'log' },
  { name: 'prices.csv', path: 'data/prices.csv', kind: 'edited' },
];
const CATEGORIES = ['STANDARD', 'STANDARD', 'STANDARD', 'ADVANCED', 'MISSION_CRITICAL'];
const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

const SHARES = { silent: 0.04, unheard: 0.02, off: 0.02, filesOff: 0.02 };

/**
 * Yields one device after the other, so that only one is in memory. `fate`: SILENT devices stop reporting near the end,
 * UNHEARD devices never have an agent, OFF devices are no longer monitored at the end; other devices are NORMAL.
 */
export function* fleetOf({ devices, files }, random) {
  for (let n = 0; n < devices; n += 1) {
    const count = Math.floor(((n + 1) * files) / devices) - Math.floor((n * files) / devices);
    yield deviceOf(n, count, random);
  }
}

function deviceOf(n, count, random) {
  const role = random.pick(ROLES);
  const drawn = random.share();
  const { silent, unheard, off } = SHARES;
  const fate =
    drawn < silent
      ? 'SILENT'
      : drawn < silent + unheard
        ? 'UNHEARD'
        : drawn < silent + unheard + off
          ? 'OFF'
          : 'NORMAL';
  const site = random.pick(SITES);
  return {
    fate,
    fields: {
      name: `${role.name}-${String(n + 1).padStart(3, '0')} ${site}`,
      description: role.description,
      path: role.path,
      healthInterval: fate === 'SILENT' ? HOUR_SECONDS : random.pick([DAY_SECONDS / 3, DAY_SECONDS]),
      monitoring: true,
      category: random.pick(CATEGORIES),
    },
    files: Array.from({ length: count }, (_, index) => fileOf(index, random)),
  };
}

function fileOf(index, random) {
  const template = TEMPLATES[index % TEMPLATES.length];
  const round = Math.floor(index / TEMPLATES.length);
  const name = round === 0 ? template.name : withNumber(template.name, round + 1);
  const path = round === 0 ? template.path : withNumber(template.path, round + 1);
  const isFollowed = template.kind === 'log' || template.kind === 'rolled';
  const isRolled = template.kind === 'rolled';
  return {
    template: template.name,
    willBeOff: random.chance(SHARES.filesOff),
    fields: {
      name,
      description: '',
      path,
      type: template.kind === 'program' ? 'BINARY' : 'TEXT',
      monitoringFrequency: isFollowed ? 'FOLLOW' : 'PROBE',
      ...(isFollowed ? {} : { interval: HOUR_SECONDS }),
      rolled: isRolled,
      ...(isRolled ? { rolledFilenameRegexp: `${name.replaceAll('.', '\\.')}\\.[0-9]+` } : {}),
      modifiable: template.kind !== 'fixed' && template.kind !== 'program',
      enabled: true,
    },
  };
}

/** `conf/a.json`, 2 → `conf/a-2.json`. */
const withNumber = (path, number) => path.replace(/(\.[^./]*)?$/, `-${number}$1`);
