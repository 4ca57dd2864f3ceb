/**
 * Makes an Adaptive Card for a workflow of Microsoft Teams ("When a Teams webhook request is received").
 * Pure. Text runs are not parsed as Markdown, so that a name makes no link.
 */
import { Type, type Static } from 'typebox';
import type { Notice } from '../../notifications/index.ts';
import { linkOf, rowsOf, type ShapeOptions } from './facts.ts';

const Run = Type.Object({
  type: Type.Literal('TextRun'),
  text: Type.String({ minLength: 1 }),
  weight: Type.Optional(Type.Literal('Bolder')),
  color: Type.Optional(Type.Enum(['Accent', 'Warning', 'Attention'])),
});
type Run = Static<typeof Run>;
const RichText = Type.Object({
  type: Type.Literal('RichTextBlock'),
  inlines: Type.Array(Run, { minItems: 1 }),
});

const Card = Type.Object({
  $schema: Type.Literal('http://adaptivecards.io/schemas/adaptive-card.json'),
  type: Type.Literal('AdaptiveCard'),
  version: Type.Literal('1.4'),
  body: Type.Array(RichText, { minItems: 1 }),
  actions: Type.Tuple([
    Type.Object({ type: Type.Literal('Action.OpenUrl'), title: Type.String(), url: Type.String() }),
  ]),
});
export const TeamsSchema = Type.Object({
  type: Type.Literal('message'),
  attachments: Type.Tuple([
    Type.Object({ contentType: Type.Literal('application/vnd.microsoft.card.adaptive'), content: Card }),
  ]),
});
type TeamsMessage = Static<typeof TeamsSchema>;

const COLORS = { info: 'Accent', warning: 'Warning', critical: 'Attention' } as const;

export function teamsMessage(notice: Notice, options: ShapeOptions): TeamsMessage {
  const rows = rowsOf(notice).map(([name, value]) =>
    block(run(`${name}: `, { weight: 'Bolder' }), run(value)),
  );
  const title = block(run(notice.text, { weight: 'Bolder', color: COLORS[notice.severity] }));
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [title, ...rows],
          actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url: linkOf(notice, options) }],
        },
      },
    ],
  };
}

const run = (text: string, more: Partial<Run> = {}): Run => ({ type: 'TextRun', text, ...more });
const block = (...inlines: Run[]): Static<typeof RichText> => ({ type: 'RichTextBlock', inlines });
