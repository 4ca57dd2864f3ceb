import { visible } from '@sentinel-node/contracts';
import type { Alert, Dashboard } from '../answers.ts';
import { Link } from 'wouter';
import { alertName, percent, plural, wholePercent, wordFor } from '../format.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { Badge } from '../ui/Badge.tsx';
import { ButtonLink } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Ring } from '../ui/Ring.tsx';
import { Age } from '../components/Moment.tsx';
import { NotJudged } from './NotJudged.tsx';
import { SilentDevices, silentDevices } from './SilentDevices.tsx';

const PLANNED = `${paths.alerts}?${new URLSearchParams({ status: 'ACTIVE', planned: 'yes' })}`;

const EXPECTED = `${paths.alerts}?${new URLSearchParams({ status: 'ACTIVE', expected: 'yes' })}`;

export const openAlert = ({ id, deviceId }: { id: string; deviceId: string | null }): void =>
  navigate(paths.alert(id, deviceId));

/** Returns the unrounded percentage of devices without an active alert; 100 without devices. */
export const healthShare = ({ devices, devicesWithActiveAlert }: Dashboard['health']): number =>
  devices === 0 ? 100 : (100 * (devices - devicesWithActiveAlert)) / devices;

/** Returns whether the share says nothing: without an alert, where no file is in contact, nobody looks for a change. */
export const isHealthUnknown = ({ health, performance }: Dashboard): boolean =>
  health.devicesWithActiveAlert === 0 && !performance.performance;

export function HealthCard({ dashboard }: { dashboard: Dashboard }) {
  const { health, alerts, activeAlerts, setAside, performance, notMonitored, notJudged } = dashboard;
  if (health.devices === 0) return <NoDevices />;
  const unknown = isHealthUnknown(dashboard);
  const { numberOfFilesWithoutContact: lost, numberOfFilesWaiting: waiting } = performance;
  const silent = silentDevices(dashboard);
  const partly = lost > 0 || waiting > 0 || silent > 0;
  const warning = health.devicesWithActiveAlert > 0;
  const share = healthShare(health);
  const older = !warning && activeAlerts > 0;
  const unjudged = notJudged !== undefined;
  const isWell = !warning && !older && !unknown && !partly && !unjudged;
  return (
    <Card
      title="Health"
      {...(warning && { tone: 'danger' })}
      aside={<HealthState {...{ warning, older, unjudged, isWell }} />}
    >
      <div className="card-figure">
        <Ring
          value={share}
          figure={wholePercent(share)}
          tone={warning ? 'danger' : isWell ? null : 'neutral'}
          label={`Health ${percent(share)}`}
        />
        <p className="figure-text">
          {warning
            ? `${health.devicesWithActiveAlert.toLocaleString('en-US')} of ${plural(health.devices, 'device')} with an active alert in the last 3 months`
            : `${plural(health.devices, 'device')}, none with an active alert in the last 3 months`}
          {unknown && <span>No file is in contact, so no change would be seen</span>}
          <NotJudged notJudged={notJudged} />
          {!warning && <SilentDevices count={silent} />}
          <NotMonitored {...notMonitored} />
          {older && <Link href={paths.alerts}>{plural(activeAlerts, 'older active alert')}</Link>}
          {setAside.planned > 0 && (
            <Link href={PLANNED}>{plural(setAside.planned, 'planned alert')} set aside</Link>
          )}
          {setAside.expected > 0 && (
            <Link href={EXPECTED}>{plural(setAside.expected, 'expected alert')} set aside</Link>
          )}
        </p>
      </div>
      {(warning || older) && <LatestAlerts alerts={alerts} />}
    </Card>
  );
}

interface HealthStateProps {
  warning: boolean;
  older: boolean;
  /** Whether there are files whose reports are not judged, or could be. */
  unjudged: boolean;
  /** Whether there is no active alert, every report is judged, and every monitored file and device is in contact. */
  isWell: boolean;
}

function HealthState({ warning, older, unjudged, isWell }: HealthStateProps) {
  if (warning) {
    return (
      <Badge tone="danger" icon="alert">
        Needs attention
      </Badge>
    );
  }
  if (older) {
    return (
      <Badge tone="warning" icon="alert">
        Older alerts
      </Badge>
    );
  }
  if (unjudged) return <Badge tone="neutral">Not all judged</Badge>;
  if (!isWell) return <Badge tone="neutral">No active alert</Badge>;
  return (
    <Badge tone="success" icon="checkCircle">
      Healthy
    </Badge>
  );
}

/** Says what nobody looks at: health is of the rest. */
function NotMonitored({ devices, files }: Dashboard['notMonitored']) {
  const parts = [
    ...(devices > 0 ? [plural(devices, 'device')] : []),
    ...(files > 0 ? [plural(files, 'file')] : []),
  ];
  return parts.length > 0 && <span>Not monitored: {parts.join(' and ')}</span>;
}

function NoDevices() {
  return (
    <Card title="Health">
      <div className="card-figure">
        <Ring value={null} figure="–" tone={null} label="Health: no data" />
        <p className="figure-text">
          <strong>No data</strong>
          There are no added devices yet
        </p>
      </div>
      <ButtonLink to={paths.addDevice} icon="plus">
        Add device
      </ButtonLink>
    </Card>
  );
}

function LatestAlerts({ alerts }: { alerts: Alert[] }) {
  return (
    <ul className="item-list" aria-label="Latest active alerts">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <Link href={paths.alert(alert.id, alert.deviceId)} className="item-button">
            <span className="item-icon tone-danger">
              <Icon name="alert" size={15} />
            </span>
            <span className="grow latest-alert">
              <strong>{wordFor(alertName, alert.type)}</strong>
              <span className="muted truncate">{visible(alert.fileName)}</span>
            </span>
            <Age at={alert.timestamp} className="muted" />
          </Link>
        </li>
      ))}
    </ul>
  );
}
