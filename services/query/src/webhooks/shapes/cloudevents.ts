/** CloudEvents 1.0, structured mode, JSON (github.com/cloudevents/spec, cloudevents/formats/json-format.md). Pure. */
import { NOTICE_EVENT_PREFIX, NoticeEventSchema, type NoticeEvent } from '@sentinel-node/contracts';
import type { Notice } from '../../notifications/index.ts';
import { linkOf, type ShapeOptions } from './facts.ts';

export const CloudEventSchema = NoticeEventSchema;

export function cloudEvent(notice: Notice, options: ShapeOptions): NoticeEvent {
  const { id, type, orgId, at, severity, orderKey, text, device, file, alert, actor } = notice;
  return {
    specversion: '1.0',
    id,
    source: `${options.publicUrl}/api/v1/orgs/${orgId}`,
    type: `${NOTICE_EVENT_PREFIX}${type}`,
    subject: orderKey,
    time: at,
    datacontenttype: 'application/json',
    orgid: orgId,
    data: {
      text,
      severity,
      link: linkOf(notice, options),
      ...(device && { device }),
      ...(file && { file }),
      ...(alert && { alert }),
      ...(actor !== undefined && { actor }),
    },
  };
}
