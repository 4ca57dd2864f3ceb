import { visible } from '@sentinel-node/contracts';
import { Link } from 'wouter';
import { paths } from '../paths.ts';

/** Shows labels as links to the devices with the same label. */
export function Labels({ labels }: { labels: readonly string[] | undefined }) {
  if (labels === undefined || labels.length === 0) return <span className="muted">None</span>;
  return (
    <span className="labels">
      {labels.map((label) => (
        <Link key={label} className="label-chip" href={paths.labelled(label)}>
          {visible(label)}
        </Link>
      ))}
    </span>
  );
}
