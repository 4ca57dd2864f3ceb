import { visible } from '@sentinel-node/contracts';
import type { Device } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { failedChange } from '../errors.ts';
import { categoryWord, everyWord, shownDate, wordFor } from '../format.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { navigate } from '../state/guard.ts';
import { isAdminAtom } from '../state/session.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Menu, type MenuItem } from '../ui/Menu.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { PageHeader } from '../ui/PageHeader.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { leaveDeviceForm } from './DeviceNotice.tsx';
import { DeviceMonitoring } from './DeviceMonitoring.tsx';
import { DeviceNextStep, type NextStep } from './DeviceNextStep.tsx';
import { downloadConfiguration } from './download-configuration.ts';
import { Labels } from '../components/Labels.tsx';
import { LastContact } from '../components/LastContact.tsx';

// A key is seldom replaced.
const NewKeyModal = lazyPart(
  () => import('./NewKeyModal.tsx'),
  (module) => module.NewKeyModal,
);

interface DeviceHeadProps {
  orgId: string;
  device: Device;
  onSaved: () => void;
}

export function DeviceHead({ orgId, device, onSaved }: DeviceHeadProps) {
  const [deleting, setDeleting] = useState(false);
  const [renewing, setRenewing] = useState(false);
  const [next, setNext] = useState<NextStep | null>(null);
  const isAdmin = useAtomValue(isAdminAtom);
  const isShown = useIsShown();
  const download = async (): Promise<void> => {
    // The page of a device without a contact shows the steps already.
    if ((await downloadConfiguration(orgId, device)) && device.lastContact !== null) setNext('downloaded');
  };
  return (
    <>
      <PageHeader
        title={device.name}
        over={<Link href={paths.devices}>Devices</Link>}
        text={device.description}
        actions={
          <>
            <DeviceMonitoring device={device} onSaved={onSaved} />
            <Button icon="download" onClick={() => void download()}>
              Configuration
            </Button>
            <Menu
              label={`Actions for ${device.name}`}
              trigger={<Icon name="more" />}
              items={[
                { label: 'Edit', icon: 'edit', run: () => navigate(paths.editDevice(device.id)) },
                ...(isAdmin
                  ? [{ label: 'New key', icon: 'reset', run: () => setRenewing(true) } satisfies MenuItem]
                  : []),
                { label: 'Delete', icon: 'trash', danger: true, run: () => setDeleting(true) },
              ]}
            />
          </>
        }
      />
      <Subheader device={device} />
      {next !== null && (
        <DeviceNextStep
          step={next}
          device={device}
          onDownload={() => void download()}
          onClose={() => setNext(null)}
        />
      )}
      {renewing && (
        <Suspense>
          <NewKeyModal
            orgId={orgId}
            device={device}
            onDone={(now) => {
              setRenewing(false);
              setNext(now ? 'newKeyNow' : 'newKey');
            }}
            onTried={onSaved}
            onDownload={() => void download()}
            onClose={() => setRenewing(false)}
          />
        </Suspense>
      )}
      {deleting && (
        <ConfirmDialog
          title={`Are you sure you want to delete ${device.name} device?`}
          text={
            device.files.length > 0 ? 'Its files are deleted with it; their chains stay readable.' : undefined
          }
          tone="danger"
          onYes={() => void remove(orgId, device, isShown)}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

function Subheader({ device }: { device: Device }) {
  return (
    <dl className="subheader">
      <Fact term="Category" value={<Badge tone="accent">{wordFor(categoryWord, device.category)}</Badge>} />
      <Fact term="Working directory" value={<span className="mono break">{visible(device.path)}</span>} />
      <Fact term="Health interval" value={<span className="num">{everyWord(device.healthInterval)}</span>} />
      <Fact
        term="Last contact"
        value={<LastContact at={device.lastContact} silent={device.status === 'NON_ACTIVE'} />}
      />
      <Fact term="Creation date" value={shownDate(device.creationDate)} />
      {device.labels !== undefined && <Fact term="Labels" value={<Labels labels={device.labels} />} />}
      <Fact term="ID" value={<Hash value={device.id} label="device id" />} />
    </dl>
  );
}

function Fact({ term, value }: { term: string; value: React.ReactNode }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </div>
  );
}

async function remove(orgId: string, device: Device, isShown: () => boolean): Promise<void> {
  const failure = await api()
    .deleteDevice(orgId, device.id, device.files.length > 0)
    .then(() => null)
    .catch(failedChange);
  leaveDeviceForm(isShown(), { outcome: 'deleted', ...failure });
}
