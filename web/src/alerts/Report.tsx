import { BulkLineSchema, ReportSchema, isReadable, visible } from '@sentinel-node/contracts';
import { bytes, capitalised } from '../format.ts';
import { Hash } from '../ui/Hash.tsx';

/** Returns whether a value is a report, sent alone or as a bulk line with the file's id. */
const isReport = (value: unknown) => isReadable(ReportSchema, value) || isReadable(BulkLineSchema, value);

/** Shows the agent's report: its versions in words, and the whole report as formatted JSON. */
export function Report({ report }: { report: unknown }) {
  return (
    <section className="report" aria-labelledby="report-title">
      <h3 id="report-title">What the agent reported</h3>
      {isReport(report) && (
        <table className="compact-table">
          <caption>
            {capitalised(report.change)}
            {report.versions.length === 0 && ', no content'}
          </caption>
          <tbody>
            {report.versions.map((version, index) => (
              <tr key={index}>
                <th scope="row">{versionWord(index, report.versions.length)}</th>
                <td className="num">{bytes(version.length)}</td>
                <td>
                  <Hash value={version.hash} label={`reported hash ${index + 1}`} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <details>
        <summary>Event request</summary>
        <pre className="json" role="group" tabIndex={0} aria-label="Event request">
          {visible(JSON.stringify(report, null, 2))}
        </pre>
      </details>
    </section>
  );
}

const versionWord = (index: number, count: number): string => {
  if (index === 0) return count === 1 ? 'The file as found' : 'The last version, as found now';
  return index === count - 1 ? 'The file now' : `Version ${index + 1}`;
};
