/** The topic of notices, for syslog and for programs of the operator. */
import { TOPICS, type NoticeEvent } from '@sentinel-node/contracts';
import type { EventLog } from '@sentinel-node/platform';
import type { Notice } from './notice.ts';

/** Takes every notice, regardless of the rules. */
export interface NoticeStream {
  /** Durable when it resolves. A notice that is published again has the same id. */
  publish(notices: readonly Notice[]): Promise<void>;
}

/** @param eventOf makes the record of a notice */
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
