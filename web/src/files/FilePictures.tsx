import { lazy, Suspense, useMemo, type ReactNode } from 'react';
import { sizePoints, versionBars, type SizePoint, type VersionsBar } from './file-pictures.ts';
import { bytes, plural, shownDateTime } from '../format.ts';
import type { ShownHistory } from './live-history.ts';
import { useKnownUntil } from '../state/use-now.ts';
import { Card } from '../ui/Card.tsx';
import { Skeleton } from '../ui/States.tsx';

const none = { default: NoPicture };
const VersionsPicture = lazy(() =>
  import('./VersionsPicture.tsx').then(
    (module) => ({ default: module.VersionsPicture }),
    () => none,
  ),
);
const SizePicture = lazy(() =>
  import('./SizePicture.tsx').then(
    (module) => ({ default: module.SizePicture }),
    () => none,
  ),
);

function NoPicture() {
  return (
    <p className="muted" role="status">
      The picture could not be loaded. Reload the page to try again; its table is below.
    </p>
  );
}

function PictureLoading() {
  return (
    <div className="file-chart">
      <Skeleton lines={3} label="Loading the picture" />
    </div>
  );
}

/** Shows versions and sizes over time, each as a chart and as a table. */
export function FilePictures({ history }: { history: ShownHistory }) {
  const now = useKnownUntil();
  const bars = useMemo(() => versionBars(history, now), [history, now]);
  const points = useMemo(() => sizePoints(history, now), [history, now]);
  return (
    <div className="file-columns">
      <Picture
        title="Versions over time"
        aside={versionsOf(history)}
        missing={bars.length === 0 && 'No version was reported yet.'}
        others="Other versions"
        table={<VersionsTable bars={bars} />}
      >
        <VersionsPicture bars={bars} />
      </Picture>
      <Picture
        title="Size over time"
        aside={sizeOf(points, history)}
        missing={points.length === 0 && 'No size was reported yet.'}
        others="Size"
        table={<SizeTable history={history} />}
      >
        <SizePicture points={points} />
      </Picture>
    </div>
  );
}

interface PictureProps {
  title: string;
  aside: string;
  /** Text in place of the chart; false when there is data. */
  missing: string | false;
  /** Meaning of the colour that does not stand for breaks. */
  others: string;
  table: ReactNode;
  children: ReactNode;
}

/** Shows a chart in a card, with a key of its colours and its table. */
function Picture({ title, aside, missing, others, table, children }: PictureProps) {
  return (
    <Card title={title} aside={<span className="muted num">{aside}</span>}>
      {missing !== false ? (
        <p className="muted">{missing}</p>
      ) : (
        <figure className="file-picture">
          <Suspense fallback={<PictureLoading />}>{children}</Suspense>
          <figcaption>
            <Key of={others} />
            <details>
              <summary>{title} as a table</summary>
              {table}
            </details>
          </figcaption>
        </figure>
      )}
    </Card>
  );
}

/** Shows the meaning of the colours; the tables contain the same without colour. */
function Key({ of }: { of: string }) {
  return (
    <p className="file-key" aria-hidden="true">
      <span className="key-other">{of}</span>
      <span className="key-break">Breaks, also handled ones</span>
    </p>
  );
}

function versionsOf({ versions, whole, entries }: ShownHistory): string {
  if (whole) return plural(versions.length, 'version');
  return `${plural(entries, 'entry', 'entries')}; bars from a sample of ${versions.length}`;
}

const sampleOf = ({ versions, entries }: ShownHistory): string =>
  `${versions.length.toLocaleString('en-US')} of ${plural(entries, 'entry', 'entries')}`;

function sizeOf(points: SizePoint[], history: ShownHistory): string {
  const sizes = points.map(({ size }) => size);
  if (sizes.length === 0) return '';
  const range = `${bytes(Math.min(...sizes))} to ${bytes(Math.max(...sizes))}`;
  return history.whole ? range : `${range} in a sample of ${sampleOf(history)}`;
}

function VersionsTable({ bars }: { bars: VersionsBar[] }) {
  return (
    <div className="file-table" tabIndex={0} role="region" aria-label="Versions over time, table">
      <table className="compact-table">
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">Until</th>
            <th scope="col">Versions</th>
            <th scope="col">Breaks</th>
          </tr>
        </thead>
        <tbody>
          {bars
            .filter(({ versions }) => versions > 0)
            .map((bar) => (
              <tr key={bar.from}>
                <th scope="row">{shownDateTime(new Date(bar.from).toISOString())}</th>
                <td>{shownDateTime(new Date(bar.to).toISOString())}</td>
                <td className="num">{bar.versions.toLocaleString('en-US')}</td>
                <td className="num">{bar.breaks.toLocaleString('en-US')}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function SizeTable({ history }: { history: ShownHistory }) {
  const { versions, whole } = history;
  return (
    <div className="file-table" tabIndex={0} role="region" aria-label="Size over time, table">
      {!whole && <p className="muted">{`A sample: ${sampleOf(history)}.`}</p>}
      <table className="compact-table">
        <thead>
          <tr>
            <th scope="col">Entry</th>
            <th scope="col">Time</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        <tbody>
          {versions.map(({ id, number, timestamp, length }) => (
            <tr key={id}>
              <th scope="row">#{number}</th>
              <td>{shownDateTime(timestamp)}</td>
              <td className="num">{length === null ? 'No content' : bytes(length)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
