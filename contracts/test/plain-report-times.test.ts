import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { CompactReader } from '../src/bytes/compact-reader.ts';
import { readPlainReport, unpackReport } from '../src/records/plain-report.ts';

const FILE_ID = '01890000-0000-7000-8000-000000000001';

/** Returns the time of a report with this time, packed and unpacked. */
function packedTime(timestamp: string): string {
  const bytes = Buffer.from(`{"sequence":1,"timestamp":"${timestamp}","change":"MISSING","versions":[]}`);
  const { packed } = readPlainReport(bytes, 0, bytes.length)!;
  return unpackReport(new CompactReader(packed), FILE_ID).report.timestamp;
}

t.test('the time of a packed report is the one of its text, on the same day and on others', async () => {
  const last = Date.UTC(9999, 11, 30);
  const times = fc.array(fc.tuple(fc.nat(last / 1_000), fc.nat(999), fc.nat(86_399_999)), { maxLength: 4 });
  fc.assert(
    fc.property(times, (some) =>
      some
        .flatMap(([seconds, millis, later]) => [seconds * 1_000 + millis, seconds * 1_000 + millis + later])
        .map((at) => new Date(at).toISOString())
        .every((timestamp) => packedTime(timestamp) === timestamp),
    ),
  );
});
