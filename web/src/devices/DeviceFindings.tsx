import { visible } from '@sentinel-node/contracts';
import type { Device, File } from '../answers.ts';
import { Link } from 'wouter';
import { plural } from '../format.ts';
import { paths } from '../paths.ts';
import { Icon } from '../ui/Icon.tsx';
import { unwatchedText, parkedWords } from '../components/unwatched.ts';

/** Most files named here; the table below has the others. */
const NAMED = 5;

/** Lists files of a device that are not checked or not judged, and why. */
export function DeviceFindings({ device }: { device: Device }) {
  const parked = device.files.filter((file) => file.parked !== undefined);
  const blind = device.files.filter(({ enabled, problem }) => enabled && problem !== undefined);
  return (
    <>
      {parked.length > 0 && (
        <Finding
          title={`${plural(parked.length, 'file is', 'files are')} parked: a record could not be judged`}
          device={device}
          files={parked}
          why={({ parked: state }) => (state === undefined ? '' : parkedWords(state))}
        />
      )}
      {device.enabled && blind.length > 0 && (
        <Finding
          title={`The agent does not look at ${plural(blind.length, 'file')}`}
          device={device}
          files={blind}
          why={({ problem }) => (problem === undefined ? '' : unwatchedText(problem))}
        />
      )}
    </>
  );
}

interface FindingProps {
  title: string;
  device: Device;
  files: File[];
  why: (file: File) => string;
}

function Finding({ title, device, files, why }: FindingProps) {
  const rest = files.length - NAMED;
  return (
    <div className="notice notice-warning" role="status">
      <Icon name="alert" />
      <div className="notice-text">
        <strong>{title}</strong>
        <ul className="findings">
          {files.slice(0, NAMED).map((file) => (
            <li key={file.id}>
              <Link href={paths.filePage(device.id, file.id)} className="inline-link">
                {visible(file.name)}
              </Link>
              : {why(file)}
            </li>
          ))}
        </ul>
        {rest > 0 && <p>And {plural(rest, 'more file')}; the table says which.</p>}
      </div>
    </div>
  );
}
