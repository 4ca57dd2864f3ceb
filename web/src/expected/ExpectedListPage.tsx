import type { ExpectedEntry } from '@sentinel-node/contracts';
import type { Expected } from '../answers.ts';
import { Link, useParams } from 'wouter';
import { isCode } from '../api/errors.ts';
import { expectedLook } from './ExpectedTable.tsx';
import { scopeWords } from '../components/maintenance-words.ts';
import { Deadline, Moment } from '../components/Moment.tsx';
import { tokenLook, TokenStateBadge } from '../components/TokensTable.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { useDeviceNames } from '../state/device-names.ts';
import { UNANNOUNCED_MS, useReadAgain } from '../state/use-read-again.ts';
import { useResource } from '../state/use-resource.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Missing } from '../ui/Missing.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';
import { Table, type Column } from '../ui/Table.tsx';

const columns: Column<ExpectedEntry>[] = [
  { header: 'Path', cell: ({ path }) => <span className="mono break">{path}</span>, className: 'cell-text' },
  { header: 'SHA-256', cell: ({ path, sha256 }) => <Hash value={sha256} label={`content of ${path}`} /> },
];

/** Page of one list of expected changes with its contents. */
export function ExpectedListPage({ orgId }: { orgId: string }) {
  const { id } = useParams<{ id: string }>();
  const page = useUrlPage();
  const nameOf = useDeviceNames(orgId);
  const { data, error, loading, reload, readAgain } = useResource<Expected>({
    key: `expected list ${id}`,
    load: (signal) => api().getExpected(orgId, id, signal),
  });
  useReadAgain(readAgain, UNANNOUNCED_MS);
  if (loading) return <Skeleton lines={8} label="Loading the list" />;
  if (isCode(error, 'NOT_FOUND'))
    return (
      <Missing
        page
        icon="file"
        title="There is no such list of expected changes."
        way={{ to: paths.expected, children: 'Go to the lists' }}
      >
        The link may be wrong.
      </Missing>
    );
  if (data === undefined)
    return <ErrorState page title="The list cannot be shown" message={messageOf(error)} onRetry={reload} />;
  return (
    <>
      <PageHeader
        title={data.reason}
        over={<Link href={paths.expected}>Expected changes</Link>}
        actions={
          <ButtonLink to={`${paths.alerts}?${new URLSearchParams({ list: id })}`} icon="alert">
            All its alerts
          </ButtonLink>
        }
      />
      <section className="card" aria-label="The list">
        <DescriptionList
          items={[
            ['State', <TokenStateBadge {...tokenLook(expectedLook, data.state)} />],
            ['Covers', scopeWords(data.scope, nameOf)],
            ['Added by', data.createdBy],
            ['Added', <Moment at={data.creationDate} />],
            ['Ends', <Deadline at={data.ended ?? data.end} />],
          ]}
        />
      </section>
      <section className="card card-flush" aria-label="Contents">
        <Table
          label="Contents"
          unit="files"
          rows={data.contents}
          columns={columns}
          rowKey={({ path }) => path}
          paged
          {...page}
        />
      </section>
    </>
  );
}
