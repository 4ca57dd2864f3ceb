/** Links that lack what the view has since, as an earlier version wrote them, or as somebody changed them. */
import t from 'tap';
import type { CollectionSpec, Document, DocumentStore, EventLog } from '@sentinel-node/platform';
import { compareViews } from '../src/audit/compare-views.ts';
import { Findings } from '../src/audit/finding.ts';
import type { ScratchViews } from '../src/audit/scratch-views.ts';

const link = { id: 'L1', fileId: 'F', number: 2, hash: 'a' };
const rebuilt = { ...link, whileDisabled: true };

const storeOf = (document: Document): DocumentStore => {
  const store: Partial<DocumentStore> = {
    async *scan() {
      yield [document] as never;
    },
    getMany: async () => [document] as never,
  };
  return store as DocumentStore;
};

/** Compares one live document with one of the log. @returns what the audit finds, and what it says */
async function compared(live: object, given: object, name = 'links') {
  const findings = new Findings();
  const lines: string[] = [];
  const patience = { isLive: false, waitSeconds: 1, looks: 1, writeLine: (line: string) => lines.push(line) };
  const scratch = { store: storeOf(given as Document), ends: new Map() } as unknown as ScratchViews;
  const deps = { eventLog: {} as EventLog, store: storeOf(live as Document), scratch, patience, findings };
  await compareViews(deps, [{ name } as CollectionSpec]);
  return { found: findings.reported.map(({ what }) => what), said: lines.slice(1) };
}

t.test(
  'a link without whileDisabled is a difference: who takes it away hides that monitoring was off',
  async (t) => {
    t.strictSame(await compared(link, rebuilt), {
      found: ['links L1: whileDisabled differ from what the log gives'],
      said: [],
    });
  },
);

t.test('every other difference is one', async (t) => {
  const finds = async (live: object, given: object, says: RegExp, name = 'links'): Promise<void> => {
    const { found, said } = await compared(live, given, name);
    t.strictSame([found.length, said], [1, []]);
    t.match(found[0], says);
  };
  await finds({ ...link, hash: 'b' }, rebuilt, /^links L1: /);
  await finds(rebuilt, link, /^links L1: whileDisabled/);
  await finds({ ...link, whileDisabled: false }, rebuilt, /^links L1: /);
  await finds(link, rebuilt, /^alerts L1: /, 'alerts');
});
