import type { NotificationRules, UndeliveredMail } from '../answers.ts';
import { plural, shownDateTime, wordFor } from '../format.ts';
import { Notice } from '../ui/Notice.tsx';

const reason: Record<UndeliveredMail['why'], string> = {
  REFUSED: 'the mail server refuses it',
  NOT_TAKEN: 'the mail server did not take it',
};

type Undelivered = Pick<NotificationRules, 'undelivered' | 'undeliveredBesides'>;

/** Names the mails that did not leave: a person who is told by mail only hears nothing, and does not know. */
export function UndeliveredMails({ undelivered, undeliveredBesides }: Undelivered) {
  const besides = undeliveredBesides ?? { mails: 0, atLeast: false };
  if (undelivered.length + besides.mails === 0) return null;
  const count = plural(undelivered.length + besides.mails, 'mail');
  return (
    <Notice tone="warning" title={`${besides.atLeast ? 'At least ' : ''}${count} not delivered`}>
      {undelivered.map(({ to, subject, made, why, givenUp }) => (
        <span key={`${made} ${to} ${subject}`} className="notice-line">
          {`${to}, ${shownDateTime(made)}: “${subject}”. `}
          {givenUp === null
            ? `It waits: ${wordFor(reason, why)}.`
            : `It was given up on ${shownDateTime(givenUp)}: ${wordFor(reason, why)}.`}
        </span>
      ))}
      {besides.mails > 0 && (
        <span className="notice-line">
          And {plural(besides.mails, 'more mail')} that {besides.mails === 1 ? 'waits' : 'wait'}.
        </span>
      )}
      {besides.atLeast && <span className="notice-line">Older mails that were given up are not kept.</span>}
    </Notice>
  );
}
