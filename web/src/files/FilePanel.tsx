import type { Device, File } from '../answers.ts';
import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { useTitle } from '../ui/use-title.ts';
import { FileContact } from './FileContact.tsx';
import { LinkChain } from '../chain/LinkChain.tsx';
import { Moment } from '../components/Moment.tsx';
import { policyFacts } from './policy-facts.tsx';
import { Panel } from '../components/Panel.tsx';

interface FilePanelProps {
  orgId: string;
  device: Device;
  file: File;
  /** The chain entry to show and mark; null shows the newest entries. */
  entryId: string | null;
  onClose: () => void;
}

export function FilePanel({ orgId, device, file, entryId, onClose }: FilePanelProps) {
  useTitle(file.name);
  return (
    <Panel
      title={file.name}
      over={<FileContact file={file} deviceEnabled={device.enabled} />}
      onClose={onClose}
      footer={
        <>
          <ButtonLink to={paths.filePage(device.id, file.id, entryId)} icon="file">
            Open its page
          </ButtonLink>
          <ButtonLink to={paths.editFile(device.id, file.id)} icon="edit">
            Edit file
          </ButtonLink>
        </>
      }
    >
      <DescriptionList
        items={[
          ...policyFacts(file),
          ['Last contact', file.lastContact === null ? 'None yet' : <Moment at={file.lastContact} />],
          ['Creation date', <Moment at={file.creationDate} />],
          ['File ID', <Hash value={file.id} label="file id" full />],
        ]}
      />
      <section aria-labelledby="file-chain">
        <h3 id="file-chain">Link chain</h3>
        <LinkChain key={entryId} orgId={orgId} deviceId={device.id} fileId={file.id} hashId={entryId} />
      </section>
    </Panel>
  );
}
