import type { Device } from '../answers.ts';
import { useParams } from 'wouter';
import { ApiError, isCode } from '../api/errors.ts';
import { DeviceFindings } from './DeviceFindings.tsx';
import { DeviceHead } from './DeviceHead.tsx';
import { FilePanel } from '../files/FilePanel.tsx';
import { FilesSection } from '../files/FilesSection.tsx';
import { NoDevice } from '../components/NoDevice.tsx';
import { PanelLoading } from '../components/PanelLoading.tsx';
import { StartAgent } from './StartAgent.tsx';
import { useFilesOutcome } from '../files/use-files-outcome.ts';
import { messageOf } from '../errors.ts';
import { shownDateTime } from '../format.ts';
import { api } from '../state/api.ts';
import { applyToDevice } from './live-device.ts';
import { closeByUrl, useUrlParams } from '../state/url.ts';
import { useResource } from '../state/use-resource.ts';
import { Notice } from '../ui/Notice.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

/** Error for a file in the URL that the device does not have. */
const NO_FILE = new ApiError('NOT_FOUND', 404, 'The device has no such file.');

export function DevicePage({ orgId }: { orgId: string }) {
  const { id } = useParams<{ id: string }>();
  const params = useUrlParams();
  const fileId = params.get('file');
  useFilesOutcome(id);
  const resource = useResource<Device>({
    key: `device ${id}`,
    load: (signal) => api().getDevice(orgId, id, signal),
    apply: applyToDevice,
  });
  const { data: device } = resource;
  if (resource.loading) return <Skeleton lines={10} label="Loading the device" />;
  if (device === undefined && isCode(resource.error, 'NOT_FOUND')) return <NoDevice />;
  if (device === undefined) {
    return (
      <section className="card">
        <ErrorState
          page
          title="The device cannot be shown"
          message={messageOf(resource.error)}
          onRetry={resource.reload}
        />
      </section>
    );
  }
  const file = device.files.find((candidate) => candidate.id === fileId);
  const closeFile = (): void => closeByUrl({ file: null, entry: null });
  return (
    <>
      <DeviceHead orgId={orgId} device={device} onSaved={resource.reload} />
      <DeviceWarnings device={device} />
      <StartAgent key={device.id} orgId={orgId} device={device} />
      <FilesSection orgId={orgId} device={device} onChanged={resource.reload} />
      {file !== undefined && (
        <FilePanel
          key={file.id}
          orgId={orgId}
          device={device}
          file={file}
          entryId={params.get('entry')}
          onClose={closeFile}
        />
      )}
      {file === undefined && fileId !== null && (
        <PanelLoading
          what="file"
          resource={{ error: NO_FILE, reload: resource.reload }}
          onClose={closeFile}
        />
      )}
    </>
  );
}

function DeviceWarnings({ device }: { device: Device }) {
  const { keyRefusedAt } = device;
  return (
    <>
      <ContactWarning device={device} />
      {keyRefusedAt !== undefined && <ShutOut refusedAt={keyRefusedAt} />}
      {!device.enabled && <MonitoringStopped device={device} />}
      <DeviceFindings device={device} />
    </>
  );
}

function ShutOut({ refusedAt }: { refusedAt: string }) {
  return (
    <Notice tone="warning" title="The agent is shut out!">
      A call at {shownDateTime(refusedAt)} was refused: the agent uses a key that is not valid any longer.
      Download the configuration again and put it in the place of the one on the device.
    </Notice>
  );
}

/** Warns why no reports come from a monitored device. */
function ContactWarning({ device: { lastContact, status } }: { device: Device }) {
  if (status === 'NON_ACTIVE') {
    const since = lastContact === null ? 'the beginning' : shownDateTime(lastContact);
    return (
      <Notice tone="warning" title="Connection problem!">
        No signal from this device since {since}. Check that the agent is running and can reach the server.
      </Notice>
    );
  }
  return null;
}

function MonitoringStopped({ device }: { device: Device }) {
  const by = device.emailAddress === null ? '' : ` by ${device.emailAddress}`;
  const when = device.disabledDate === null ? '' : ` on ${shownDateTime(device.disabledDate)}`;
  return (
    <Notice tone="info" title={`Monitoring was stopped${by}${when}`}>
      {device.disabledNote && <span className="preserve">{device.disabledNote}</span>}
    </Notice>
  );
}
