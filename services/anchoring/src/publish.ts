import { TOPICS, utf8, type AnchorRecord } from '@sentinel-node/contracts';
import { writeAnchor, type DocumentStore, type EventLog } from '@sentinel-node/platform';

/** The view first, so that whoever hears of the record can read it. Again after a crash: the same id and `rev`. */
export async function publishAnchor(
  { store, eventLog }: { readonly store: DocumentStore; readonly eventLog: EventLog },
  record: AnchorRecord,
): Promise<void> {
  await writeAnchor(store, record);
  await eventLog.append(TOPICS.anchors, [
    {
      key: String(record.batch),
      id: `${record.batch}/${record.rev}`,
      body: utf8(JSON.stringify(record)),
    },
  ]);
}
