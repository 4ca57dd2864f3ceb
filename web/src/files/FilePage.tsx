import type { File } from '../answers.ts';
import { useCallback, useMemo } from 'react';
import { Link, useParams } from 'wouter';
import type { FileKey } from '../api/calls/files.ts';
import { isCode } from '../api/errors.ts';
import { EntryAddressContext } from '../chain/entry-address.ts';
import { FileBreaks } from './FileBreaks.tsx';
import { FileExport } from './FileExport.tsx';
import { FilePictures } from './FilePictures.tsx';
import { FileState } from './FileState.tsx';
import { FileWarnings } from './FileWarnings.tsx';
import { LinkChain } from '../chain/LinkChain.tsx';
import { Moment } from '../components/Moment.tsx';
import { NoFile } from './NoFile.tsx';
import { policyFacts } from './policy-facts.tsx';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { applyToFile } from './live-file.ts';
import type { ShownHistory } from './live-history.ts';
import { useUrlParams } from '../state/url.ts';
import { useFileHistory } from './use-file-history.ts';
import { useResource, type Resource } from '../state/use-resource.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';
import '../styles/file-page.css';

type Key = FileKey & { deviceId: string; fileId: string };

/** Page of one file: state, policy, charts, breaks and chain; for a deleted file, its remaining data. */
export function FilePage({ orgId }: { orgId: string }) {
  const { deviceId, fileId } = useParams<{ deviceId: string; fileId: string }>();
  const key = useMemo(() => ({ orgId, deviceId, fileId }), [orgId, deviceId, fileId]);
  const history = useFileHistory(key);
  const file = useResource<File>({
    key: `file ${fileId}`,
    load: (signal) => api().getFile(key, signal),
    apply: (held, item) => applyToFile(held, deviceId, item),
  });
  if (history.data !== undefined) return <Shown fileKey={key} history={history.data} resource={file} />;
  if (history.loading) return <Skeleton lines={12} label="Loading the file" />;
  if (isCode(history.error, 'NOT_FOUND')) return <NoFile page deviceId={deviceId} />;
  return (
    <section className="card">
      <ErrorState
        page
        title="The file cannot be shown"
        message={messageOf(history.error)}
        onRetry={history.reload}
      />
    </section>
  );
}

interface ShownProps {
  fileKey: Key;
  history: ShownHistory;
  /** Without data when the file is deleted, or not read. */
  resource: Resource<File>;
}

function Shown({ fileKey, history, resource }: ShownProps) {
  const { data: file } = resource;
  const { deviceId, fileId } = fileKey;
  const entryId = useUrlParams().get('entry');
  const addressOf = useCallback(
    (device: string, of: string, entry: string) => paths.filePage(device, of, entry),
    [],
  );
  return (
    <div className="file-page">
      <PageHeader
        title={history.name}
        over={<Link href={paths.device(deviceId)}>{history.device.name}</Link>}
        text={<span className="mono break">{history.path}</span>}
        actions={
          <>
            <FileExport fileKey={fileKey} />
            {!history.deleted && (
              <ButtonLink to={paths.addFilesLike(deviceId, fileId)} icon="copy">
                Add one like it
              </ButtonLink>
            )}
            {!history.deleted && (
              <ButtonLink to={paths.editFile(deviceId, fileId)} icon="edit">
                Edit file
              </ButtonLink>
            )}
          </>
        }
      />
      <FileWarnings history={history} file={file} />
      <div className="file-columns">
        <FileState history={history} resource={resource} />
        <Card title="Policy">
          {file === undefined ? (
            <p className="muted">{withoutPolicy(history, resource)}</p>
          ) : (
            <DescriptionList items={policyOf(file)} />
          )}
        </Card>
      </div>
      <FilePictures history={history} />
      <FileBreaks history={history} deviceId={deviceId} fileId={fileId} />
      <Card title="Link chain" aside={<span className="muted num">{entriesOf(history)}</span>}>
        <EntryAddressContext value={addressOf}>
          <LinkChain
            key={entryId}
            orgId={String(fileKey.orgId)}
            deviceId={deviceId}
            fileId={fileId}
            hashId={entryId}
          />
        </EntryAddressContext>
      </Card>
    </div>
  );
}

function withoutPolicy({ deleted }: ShownHistory, { loading }: Resource<File>): string {
  if (deleted) return 'The file was deleted.';
  return loading ? 'The policy is being read.' : 'The policy could not be read.';
}

const entriesOf = ({ entries }: ShownHistory): string =>
  entries === 0 ? 'No entries yet' : `#0 to #${(entries - 1).toLocaleString('en-US')}`;

const policyOf = (file: File): [string, React.ReactNode][] => [
  ...policyFacts(file),
  ['Creation date', <Moment at={file.creationDate} />],
  ['File ID', <Hash value={file.id} label="file id" full />],
];
