import { visible } from '@sentinel-node/contracts';
import { useId, useState } from 'react';
import { Link } from 'wouter';
import { Badge } from '../ui/Badge.tsx';
import { Card } from '../ui/Card.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Pager } from '../ui/Pager.tsx';
import type { Notification, Notifications } from './notifications.ts';

/** Groups per page. */
const PAGE_GROUPS = 10;

export function NotificationsCard({ notifications: { count, groups } }: { notifications: Notifications }) {
  const [page, setPage] = useState(0);
  const id = useId();
  const headId = (group: string): string => `${id}${group}`;
  const pages = Math.max(1, Math.ceil(groups.length / PAGE_GROUPS));
  const current = Math.min(page, pages - 1);
  const shown = groups.slice(current * PAGE_GROUPS, (current + 1) * PAGE_GROUPS);
  return (
    <Card
      title="Notifications"
      aside={<Badge tone={count === 0 ? 'neutral' : 'accent'}>{count.toLocaleString('en-US')}</Badge>}
    >
      {count === 0 ? (
        <p className="card-empty muted">There are no notifications.</p>
      ) : (
        <ul className="item-list item-scroll" aria-label="Notifications" tabIndex={0}>
          {shown.flatMap(({ key, head, items }) =>
            items.map((notification, index) => (
              <li key={notification.key}>
                {index === 0 && head !== null && (
                  <p id={headId(key)} className="item-head">
                    {visible(head)}
                  </p>
                )}
                <Item notification={notification} describedBy={head === null ? undefined : headId(key)} />
              </li>
            )),
          )}
        </ul>
      )}
      {pages > 1 && (
        <Pager
          page={current}
          pageLength={PAGE_GROUPS}
          rows={groups.length}
          label="Notifications"
          unit="groups"
          onPage={setPage}
        />
      )}
    </Card>
  );
}

interface ItemProps {
  notification: Notification;
  /** Id of the head of its group, which a screen reader says after the link. */
  describedBy: string | undefined;
}

function Item({ notification: { icon, text, target }, describedBy }: ItemProps) {
  const content = (
    <>
      <span className="item-icon">
        <Icon name={icon} size={15} />
      </span>
      <span className="grow">{visible(text)}</span>
    </>
  );
  if (target === null) return <div className="item-button item-still">{content}</div>;
  return (
    <Link href={target} className="item-button" aria-describedby={describedBy}>
      {content}
      <Icon name="chevronRight" size={15} />
    </Link>
  );
}
