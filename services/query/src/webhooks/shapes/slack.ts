/**
 * Makes a message for Slack's incoming webhooks, in blocks (docs.slack.dev/reference/block-kit/blocks). Pure.
 */
import { Type, type Static } from 'typebox';
import type { Notice } from '../../notifications/index.ts';
import { cut, linkOf, rowsOf, type ShapeOptions } from './facts.ts';

/** Characters. */
const SECTION = 3_000;
const FIELD = 2_000;

const Mrkdwn = (maxLength: number) =>
  Type.Object({ type: Type.Literal('mrkdwn'), text: Type.String({ minLength: 1, maxLength }) });
const Button = Type.Object({
  type: Type.Literal('button'),
  text: Type.Object({ type: Type.Literal('plain_text'), text: Type.String({ maxLength: 75 }) }),
  url: Type.String({ maxLength: 3_000 }),
});

export const SlackSchema = Type.Object({
  text: Type.String({ minLength: 1, description: 'for notifications' }),
  blocks: Type.Tuple([
    Type.Object({ type: Type.Literal('section'), text: Mrkdwn(SECTION) }),
    Type.Object({
      type: Type.Literal('section'),
      fields: Type.Array(Mrkdwn(FIELD), { minItems: 1, maxItems: 10 }),
    }),
    Type.Object({ type: Type.Literal('actions'), elements: Type.Tuple([Button]) }),
  ]),
});
type SlackMessage = Static<typeof SlackSchema>;

const SIGNS = { info: ':information_source:', warning: ':warning:', critical: ':rotating_light:' } as const;

export function slackMessage(notice: Notice, options: ShapeOptions): SlackMessage {
  const text = `${SIGNS[notice.severity]} ${escaped(notice.text)}`;
  const fields = rowsOf(notice).map(([name, value]) => mrkdwn(`*${name}*\n${escaped(value)}`, FIELD));
  return {
    text: cut(text, SECTION),
    blocks: [
      { type: 'section', text: mrkdwn(text, SECTION) },
      { type: 'section', fields },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            text: { type: 'plain_text', text: 'Open in the console' },
            url: linkOf(notice, options),
          },
        ],
      },
    ],
  };
}

const mrkdwn = (text: string, length: number) => ({ type: 'mrkdwn' as const, text: cut(text, length) });

/**
 * Escapes Slack's three control characters, so that a name makes no link or mention. A zero-width space
 * breaks formatting marks.
 */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[*_~`]/g, '\u200b$&');
