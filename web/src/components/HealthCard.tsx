import type { Alert, Dashboard } from '@sentinel-node/contracts';
import { alertName, ago, percent, plural } from '../format.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { useNow } from '../state/use-now.ts';
import { Badge } from '../ui/Badge.tsx';
import { ButtonLink } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Ring } from '../ui/Ring.tsx';

export const openAlert = (alert: Alert): void =>
  navigate(paths.alerts, { state: { alertId: alert.id, deviceId: alert.deviceId } });

export function HealthCard({ health, alerts }: { health: Dashboard['health']; alerts: Alert[] }) {
  if (health.devices === 0) return <NoDevices />;
  const warning = health.percent < 100;
  return (
    <Card
      title="Health"
      {...(warning && { tone: 'danger' })}
      aside={
        warning ? (
          <Badge tone="danger" icon="alert">
            Needs attention
          </Badge>
        ) : (
          <Badge tone="success" icon="checkCircle">
            Healthy
          </Badge>
        )
      }
    >
      <div className="card-figure">
        <Ring value={health.percent} warning={warning} label={`Health ${percent(health.percent)}`} />
        <p className="figure-text">
          {warning
            ? `${health.devicesWithActiveAlert} of ${plural(health.devices, 'device')} with an active alert`
            : `${plural(health.devices, 'device')}, none with an active alert`}
        </p>
      </div>
      {warning && <LatestAlerts alerts={alerts} />}
    </Card>
  );
}

function NoDevices() {
  return (
    <Card title="Health">
      <div className="card-figure">
        <Ring value={null} warning={false} label="Health: no data" />
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
  const now = useNow();
  return (
    <ul className="item-list" aria-label="Latest active alerts">
      {alerts.map((alert) => (
        <li key={alert.id}>
          <button type="button" className="item-button" onClick={() => openAlert(alert)}>
            <span className="item-icon tone-danger">
              <Icon name="alert" size={15} />
            </span>
            <span className="grow truncate">
              <strong>{alertName[alert.type]}</strong> <span className="muted">{alert.fileName}</span>
            </span>
            <time className="muted" dateTime={alert.timestamp}>
              {ago(alert.timestamp, now)}
            </time>
          </button>
        </li>
      ))}
    </ul>
  );
}
