import { ExpectedTable } from './ExpectedTable.tsx';
import { TokensPage } from '../components/TokensPage.tsx';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { useDeviceNames } from '../state/device-names.ts';

/** Page of the lists of contents that rollouts are expected to produce. */
export function ExpectedPage({ orgId }: { orgId: string }) {
  const nameOf = useDeviceNames(orgId);
  return (
    <TokensPage
      title="Expected changes"
      text="An alert whose file and content are in a list is marked, and only the rest asks for attention."
      over={{ path: paths.maintenance, title: 'Maintenance' }}
      make={paths.defineExpected}
      makeText="Add a list"
      resource={`expected ${orgId}`}
      load={async (signal) => (await api().getExpectedLists(orgId, signal)).lists}
      changing={['ADD_EXPECTED_CHANGES', 'END_EXPECTED_CHANGES']}
      empty={{ icon: 'file', text: 'Add a list of paths and SHA-256 before a rollout.' }}
      table={(lists, onChanged) => (
        <ExpectedTable orgId={orgId} lists={lists} nameOf={nameOf} onChanged={onChanged} />
      )}
    />
  );
}
