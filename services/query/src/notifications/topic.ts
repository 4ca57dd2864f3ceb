/** The topic of notices, for syslog and for the operator's own programs. */
import { TOPICS, type NoticeEvent } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import type { Notice } from './notice.ts';

/** Where every notice goes, whatever the rules say. */
export interface NoticeStream {
  /** Durable when it resolves. Notices that are given again come again, with the same id. */
  publish(notices: readonly Notice[]): Promise<void>;
}

/** @param eventOf what the topic holds of a notice */
export function noticeStream(eventLog: EventLog, eventOf: (notice: Notice) => NoticeEvent): NoticeStream {
  return {
    publish: async (notices) => {
      if (notices.length === 0) return;
      const records = notices.map((notice) => ({
        key: notice.orderKey,
        id: notice.id,
        body: Buffer.from(JSON.stringify(eventOf(notice))),
      }));
      await eventLog.append(TOPICS.notices, records);
    },
  };
}
