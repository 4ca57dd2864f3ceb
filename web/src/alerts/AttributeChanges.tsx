import type { AttributeName } from '@sentinel-node/contracts';
import type { AttributeChange } from '../answers.ts';
import { bytes, capitalised, shownDateTime, entryOf, wordFor } from '../format.ts';

const words: Record<AttributeName, string> = {
  kind: 'Kind',
  linkTarget: 'Link target',
  mode: 'Mode',
  owner: 'Owner',
  group: 'Group',
  size: 'Size',
  mtime: 'Last modified',
  inode: 'Inode',
  xattrs: 'Extended attributes',
};

/** Formats of attributes whose raw value is not readable. */
const shown: Partial<Record<AttributeName, (value: string) => string>> = {
  kind: (value) => (value === 'FIFO' ? value : capitalised(value)),
  owner: (value) => `user ${value}`,
  group: (value) => `group ${value}`,
  size: (value) => bytes(Number(value)),
  mtime: shownDateTime,
};

const wordOf = ({ name }: AttributeChange, value: string | null): string =>
  value === null ? 'none' : (entryOf(shown, name)?.(value) ?? value);

/** Shows changed attributes of a file: `Mode 0644 → 0666`. */
export function AttributeChanges({ changes }: { changes: readonly AttributeChange[] }) {
  return (
    <section className="report" aria-labelledby="attribute-changes">
      <h3 id="attribute-changes">Changed attributes</h3>
      <table className="compact-table attribute-changes">
        <thead>
          <tr>
            <th scope="col">Attribute</th>
            <th scope="col">Before the alert, and now</th>
          </tr>
        </thead>
        <tbody>
          {changes.map((change) => (
            <tr key={change.name}>
              <th scope="row">{wordFor(words, change.name)}</th>
              <td className="mono break">
                {wordOf(change, change.before)}
                <span aria-hidden="true"> → </span>
                <span className="visually-hidden"> to </span>
                {wordOf(change, change.after)}
                {change.before === change.after && (
                  <span className="muted"> (changed, and changed back)</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
