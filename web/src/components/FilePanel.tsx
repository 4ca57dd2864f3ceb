import type { Device, File } from '@sentinel-node/contracts';
import { capitalised } from '../format.ts';
import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { DescriptionList, type Description } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { SideModal } from '../ui/SideModal.tsx';
import { useTitle } from '../ui/use-title.ts';
import { FileContact } from './FileContact.tsx';
import { LinkChain } from './LinkChain.tsx';
import { Moment, Stamp } from './Moment.tsx';

interface FilePanelProps {
  orgId: string;
  device: Device;
  file: File;
  /** The entry of its chain to show and to mark; null: the newest ones. */
  entryId: string | null;
  onClose: () => void;
}

export const frequencyWord = (file: File): string =>
  file.monitoringFrequency === 'FOLLOW' ? 'Continuous' : `Every ${file.interval ?? 1} s`;

/** Chosen is not yet watched: agents of earlier versions tell nothing of it. */
function watchWord({ attributesTold, watchAttributes }: File): string {
  if (watchAttributes !== true) return 'Not watched';
  return attributesTold === true
    ? 'Watched, any change raises an alert'
    : 'To be watched; the agent has told none yet';
}

export function FilePanel({ orgId, device, file, entryId, onClose }: FilePanelProps) {
  useTitle(file.name);
  return (
    <SideModal
      title={file.name}
      over={<FileContact file={file} deviceEnabled={device.enabled} />}
      onClose={onClose}
      footer={
        <ButtonLink to={paths.editFile(device.id, file.id)} icon="edit">
          Edit file
        </ButtonLink>
      }
    >
      <DescriptionList
        items={[
          ['Path', <span className="mono break">{file.path}</span>],
          ['Description', file.description],
          ['Type', capitalised(file.type)],
          ['Monitoring', frequencyWord(file)],
          ['Editable', file.modifiable ? 'Yes' : 'No, any change raises an alert'],
          ...(file.modifiable ? [] : [['Permissions and owner', watchWord(file)] satisfies Description]),
          ['Rolled', file.rolled ? <span className="mono break">{file.rolledFilenameRegexp}</span> : 'No'],
          ['Last contact', file.lastContact === null ? 'None yet' : <Moment at={file.lastContact} />],
          ['Creation date', <Stamp at={file.creationDate} />],
          ['File ID', <Hash value={file.id} label="file id" full />],
        ]}
      />
      <section aria-labelledby="file-chain">
        <h3 id="file-chain">Link chain</h3>
        <LinkChain key={entryId} orgId={orgId} deviceId={device.id} fileId={file.id} hashId={entryId} />
      </section>
    </SideModal>
  );
}
