import { navigate } from '../state/guard.ts';
import { Badge } from '../ui/Badge.tsx';
import { Card } from '../ui/Card.tsx';
import { Icon } from '../ui/Icon.tsx';
import type { Notification } from './notifications.ts';

export function NotificationsCard({ notifications }: { notifications: Notification[] }) {
  return (
    <Card
      title="Notifications"
      aside={<Badge tone={notifications.length === 0 ? 'neutral' : 'accent'}>{notifications.length}</Badge>}
    >
      {notifications.length === 0 ? (
        <p className="card-empty muted">
          <Icon name="checkCircle" />
          Nothing to look at
        </p>
      ) : (
        <ul className="item-list item-scroll" aria-label="Notifications" tabIndex={0}>
          {notifications.map((notification) => (
            <li key={notification.key}>
              <Item notification={notification} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Item({ notification: { icon, text, target } }: { notification: Notification }) {
  const content = (
    <>
      <span className="item-icon">
        <Icon name={icon} size={15} />
      </span>
      <span className="grow">{text}</span>
    </>
  );
  if (target === null) return <div className="item-button item-still">{content}</div>;
  return (
    <button
      type="button"
      className="item-button"
      onClick={() => navigate(target.path, { state: target.state ?? null })}
    >
      {content}
      <Icon name="chevronRight" size={15} />
    </button>
  );
}
