import { ExpectedForm } from './ExpectedForm.tsx';
import { Making } from '../components/Making.tsx';
import { expectedRequest, type ExpectedValues } from './expected-values.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { serverNow } from '../state/clock.ts';

export function DefineExpectedPage({ orgId }: { orgId: string }) {
  return (
    <Making
      title="Adding a list of expected changes"
      over={{ path: paths.expected, title: 'Expected changes' }}
      failed={{
        refused: 'The list was not added.',
        unknown: 'It is not known whether the list was added: look before you try again.',
      }}
      made="The list is added."
      make={(values: ExpectedValues) => api().addExpected(orgId, expectedRequest(values, serverNow()))}
      form={(busy, onSubmit) => <ExpectedForm orgId={orgId} busy={busy} onSubmit={onSubmit} />}
    />
  );
}
