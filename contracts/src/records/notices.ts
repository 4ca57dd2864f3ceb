/**
 * Records of `sentinel.notices.v1`, which operators read with their own programs (key: `subject`, so that notices about one
 * thing stay in order): CloudEvents 1.0, structured mode, JSON (github.com/cloudevents/spec,
 * cloudevents/formats/json-format.md). Webhooks of the shape `cloudevents` send the same. Members may be added;
 * readers ignore those that they do not know.
 */
import { Type, type Static } from 'typebox';
import { SEVERITIES } from '../schemas/notification.ts';

const Text = Type.String();
const text = (description: string) => Type.String({ minLength: 1, description });

export const NoticeEventSchema = Type.Object({
  specversion: Type.Literal('1.0'),
  id: text('of the notice; the same at every attempt'),
  source: text('the organization at this server, as a URI reference'),
  type: Type.String({ pattern: '^sentinel-node\\.[a-z.]+$' }),
  subject: text('notices of one subject are sent in their order'),
  time: Type.String({ format: 'date-time', description: 'when the cause happened' }),
  datacontenttype: Type.Literal('application/json'),
  orgid: text('of the organization that is told'),
  data: Type.Object({
    text: text('one sentence'),
    severity: Type.Enum([...SEVERITIES]),
    link: text('where the console shows it'),
    device: Type.Optional(Type.Object({ id: Text, name: Text })),
    file: Type.Optional(Type.Object({ id: Text, path: Text })),
    alert: Type.Optional(Type.Object({ id: Text, type: Text, status: Text })),
    actor: Type.Optional(text('who did it')),
  }),
});
export type NoticeEvent = Static<typeof NoticeEventSchema>;

/** Prefix of the type of a notice in `type`. */
export const NOTICE_EVENT_PREFIX = 'sentinel-node.';
