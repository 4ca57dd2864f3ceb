/** Tests that the audit finds a file whose chain says another organisation or device than the registry. */
import t from 'tap';
import type { RegistryRecord } from '@sentinel-node/contracts';
import { matchList } from '@sentinel-node/test-kit/matching';
import { FileOwners } from '../src/audit/file-owners.ts';
import { Findings } from '../src/audit/finding.ts';

const ACME = 'acme';
const OTHER = 'other';
const DEVICE = 'device';
const record = (fileId: string | null, rev: number, orgId = ACME, deviceId = DEVICE) => ({
  ...{ deviceId, fileId, orgId, rev },
});
const registered = (id: string, orgId: string, ...files: readonly string[]) =>
  ({
    entity: { kind: 'DEVICE', id, orgId, files: files.map((file) => ({ id: file })) },
  }) as unknown as RegistryRecord;

function findingsOf(
  chain: readonly ReturnType<typeof record>[],
  registry: readonly RegistryRecord[] = [registered(DEVICE, ACME), registered(DEVICE, ACME, 'a', 'b')],
): string[] {
  const findings = new Findings();
  const owners = new FileOwners(findings);
  for (const one of chain) owners.judged(one);
  for (const one of registry) owners.registered(one);
  owners.end();
  if (findings.reported.some(({ check }) => check !== 'owners')) throw new Error('found by another check');
  return findings.reported.map(({ what }) => what);
}

t.test('files under their own device and organisation are as they should be', (t) => {
  const registry = [
    registered(DEVICE, ACME, 'a', 'b'),
    registered(DEVICE, ACME, 'b'),
    { entity: { kind: 'ORGANIZATION', id: ACME } } as unknown as RegistryRecord,
    registered('without entries', OTHER, 'c'),
  ];
  t.same(findingsOf([record('a', 1), record(null, 1), record('b', 1), record('a', 2)], registry), []);
  t.same(findingsOf([]), []);
  t.end();
});

t.test('a history that was moved as a whole is found by the registry', (t) => {
  matchList(t, findingsOf([record('a', 1, OTHER), record('a', 2, OTHER), record(null, 1, OTHER)]), [
    /^device device: is of organisation other in the chain, of acme in the registry$/,
  ]);
  const elsewhere = [record('a', 1, OTHER, 'their device'), record('b', 1)];
  matchList(
    t,
    findingsOf(elsewhere, [registered(DEVICE, ACME, 'a', 'b'), registered('their device', OTHER, 'x')]),
    [/^file a: is of device their device in the chain, of device in the registry$/],
  );
  t.end();
});

t.test('some records that were moved are found in the chain', (t) => {
  matchList(t, findingsOf([record('a', 1), record('a', 2, OTHER), record(null, 3, OTHER)]), [
    /^a revision 2: is of organisation other, its device of acme$/,
    /^device revision 3: is of organisation other, its device of acme$/,
  ]);
  matchList(t, findingsOf([record('a', 1), record('a', 2, ACME, 'device 2')]), [
    /^a revision 2: is of device device 2, the file of device$/,
  ]);
  t.end();
});

t.test('a file that no device of the registry ever had is found', (t) => {
  matchList(t, findingsOf([record('invented', 1)]), [/^file invented: no device of the registry has it/]);
  t.end();
});
