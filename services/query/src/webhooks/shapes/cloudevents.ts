/** CloudEvents 1.0, structured mode, JSON (github.com/cloudevents/spec, cloudevents/formats/json-format.md). Pure. */
import { Type, type Static } from 'typebox';
import type { Notice } from '../../notifications/index.ts';
import { linkOf, type ShapeOptions } from './facts.ts';

const Text = Type.String();
const text = (description: string) => Type.String({ minLength: 1, description });

export const CloudEventSchema = Type.Object({
  specversion: Type.Literal('1.0'),
  id: text('of the notice; the same at every attempt'),
  source: text('the organisation at this server, as a URI reference'),
  type: Type.String({ pattern: '^sentinel-node\\.[a-z.]+$' }),
  subject: text('notices of one subject are sent in their order'),
  time: Type.String({ format: 'date-time', description: 'when the cause happened' }),
  datacontenttype: Type.Literal('application/json'),
  data: Type.Object({
    text: text('one sentence'),
    severity: Type.Enum(['info', 'warning', 'critical']),
    link: text('where the console shows it'),
    device: Type.Optional(Type.Object({ id: Text, name: Text })),
    file: Type.Optional(Type.Object({ id: Text, path: Text })),
    alert: Type.Optional(Type.Object({ id: Text, type: Text, status: Text })),
    actor: Type.Optional(text('who did it')),
  }),
});
type CloudEvent = Static<typeof CloudEventSchema>;

export function cloudEvent(notice: Notice, options: ShapeOptions): CloudEvent {
  const { id, type, orgId, at, severity, orderKey, text, device, file, alert, actor } = notice;
  return {
    specversion: '1.0',
    id,
    source: `${options.publicUrl}/api/v1/orgs/${orgId}`,
    type: `sentinel-node.${type}`,
    subject: orderKey,
    time: at,
    datacontenttype: 'application/json',
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
