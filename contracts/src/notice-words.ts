/** Words for the types of notices, in mails and in the console. */
import { keysOf } from './keys.ts';
import type { NoticeType } from './schemas/notification.ts';

/** Notice types in words, in the order in which a rule offers them. */
export const noticeWord: Readonly<Record<Exclude<NoticeType, 'test'>, string>> = {
  'alert.raised': 'A new alert',
  'alert.handled': 'An alert was dismissed',
  'alert.continued': 'An alert occurred 10, 100, 1,000 … times',
  'chain.reset': 'A chain was reset',
  'device.lost': 'A device is lost',
  'device.returned': 'A device is back',
  'file.lost': 'A file is lost',
  'file.returned': 'A file is back',
  'agent.blind': 'An agent does not look at a file',
  'monitoring.stopped': 'Monitoring was switched off',
  'device.deleted': 'A device was deleted',
  'file.deleted': 'A file was deleted',
  'key.rotated': 'A key was replaced',
  'evidence.failed': 'Recorded data contradict what was anchored',
  'funds.low': 'Funds for anchoring are low',
  'funds.restored': 'There are funds for anchoring again',
  'anchoring.stopped': 'Anchoring stopped',
  'anchoring.resumed': 'Anchoring goes on',
};

export const offeredNotices = keysOf(noticeWord);

const everyWord: Readonly<Record<string, string>> = { ...noticeWord, test: 'A test' };

/** Returns the type of a sent notice in words; as it is when a later version sent it. */
export const noticeName = (type: string): string => everyWord[type] ?? type;
