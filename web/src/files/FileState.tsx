import type { File } from '../answers.ts';
import { bytes } from '../format.ts';
import type { ShownHistory } from './live-history.ts';
import type { Resource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { DescriptionList, type Description } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { FileContact } from './FileContact.tsx';
import { LastContact } from '../components/LastContact.tsx';

interface FileStateProps {
  history: ShownHistory;
  resource: Resource<File>;
}

/** Shows the file's last reported state and its time. */
export function FileState({ history, resource }: FileStateProps) {
  const { data: file, loading, reload } = resource;
  const items: Description[] = [
    ['Content', <Content present={history.present} />],
    ['Size', <Size present={history.present} />],
    ['Entries of its chain', <span className="num">{history.entries.toLocaleString('en-US')}</span>],
    [
      'Newest entry',
      history.present?.linkHash && <Hash value={history.present.linkHash} label="entry hash" />,
    ],
  ];
  if (file !== undefined)
    items.unshift(['Last contact', <LastContact at={file.lastContact} silent={file.contact === 'LOST'} />]);
  return (
    <Card
      title="State"
      aside={file !== undefined && <FileContact file={file} deviceEnabled={history.device.enabled} />}
    >
      <DescriptionList items={items} />
      {file === undefined && !history.deleted && (
        <p className="muted">
          {`Whether the file is in contact ${loading ? 'is being' : 'could not be'} read.`}{' '}
          {!loading && (
            <Button small onClick={reload}>
              Try again
            </Button>
          )}
        </p>
      )}
    </Card>
  );
}

type PresentProps = Pick<ShownHistory, 'present'>;

function Content({ present }: PresentProps) {
  if (present === null) return <span className="muted">Nothing was reported yet</span>;
  if (present.missing) return <strong className="danger-text">The file is missing</strong>;
  return present.hash === null ? '-' : <Hash value={present.hash} label="content hash" />;
}

function Size({ present }: PresentProps) {
  if (present === null || present.length === null) return '-';
  const was = present.missing ? ' before it went missing' : '';
  return <span className="num">{`${bytes(present.length)}${was}`}</span>;
}
