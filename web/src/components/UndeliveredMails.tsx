import type { UndeliveredMail } from '@sentinel-node/contracts';
import { plural, shownDateTime } from '../format.ts';
import { Notice } from '../ui/Notice.tsx';

const reason: Record<UndeliveredMail['why'], string> = {
  REFUSED: 'the mail server refuses it',
  NOT_TAKEN: 'the mail server did not take it',
};

/** Names the mails that did not leave: a person who is told by mail only hears nothing, and does not know. */
export function UndeliveredMails({ mails }: { mails: UndeliveredMail[] }) {
  if (mails.length === 0) return null;
  return (
    <Notice tone="warning" title={`${plural(mails.length, 'mail')} not delivered`}>
      {mails.map(({ to, subject, made, why, givenUp }) => (
        <span key={`${made} ${to} ${subject}`} className="notice-line">
          {`${to}, ${shownDateTime(made)}: “${subject}”. `}
          {givenUp === null
            ? `It waits: ${reason[why]}.`
            : `It was given up on ${shownDateTime(givenUp)}: ${reason[why]}.`}
        </span>
      ))}
    </Notice>
  );
}
