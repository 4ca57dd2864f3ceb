import { entryOf, wordFor } from '../format.ts';
import { LIMITS, visible } from '@sentinel-node/contracts';
import { useState } from 'react';
import { failureNotice } from '../errors.ts';
import { notify } from '../state/notices.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { ConfirmDialog } from './ConfirmDialog.tsx';

interface Token {
  id: string;
  name: string;
}

export interface TokenLook {
  word: string;
  tone: Tone;
  icon?: IconName;
}

/** Returns the look of a state; a state that this page does not know is neither good nor bad. */
export const tokenLook = (looks: Readonly<Record<string, TokenLook>>, state: string): TokenLook =>
  entryOf(looks, state) ?? { word: wordFor({}, state), tone: 'neutral' };

interface TokensTableProps<T extends Token> {
  label: string;
  /** Noun for a row; default: `token`. */
  what?: string;
  tokens: T[];
  columns: Column<T>[];
  canEnd: (token: T) => boolean;
  /** Text about the effects of ending a token. */
  endText: string;
  end: (id: string) => Promise<unknown>;
  onChanged: () => void;
}

const CUT_TEXT = `The newest ${LIMITS.pageItems} are listed, and all that are still in force.`;

/** Lists tokens of an organisation; a valid token can be ended after a confirmation. */
export function TokensTable<T extends Token>(props: TokensTableProps<T>) {
  const { label, what = 'token', tokens, columns, canEnd, endText, end, onChanged } = props;
  const [ending, setEnding] = useState<T | null>(null);
  const endNow = async (token: T): Promise<void> => {
    try {
      await end(token.id);
    } catch (error) {
      const refused = `The ${what} was not ended.`;
      notify(failureNotice(error, { refused, unknown: `It is not known whether the ${what} was ended.` }));
    }
    setEnding((asked) => (asked === token ? null : asked));
    onChanged();
  };
  const actions: Column<T> = {
    header: 'Actions',
    hideHeader: true,
    className: 'cell-actions',
    cell: (one) =>
      canEnd(one) ? (
        <Button small aria-label={`End ${one.name}`} onClick={() => setEnding(one)}>
          End
        </Button>
      ) : (
        '-'
      ),
  };
  return (
    <>
      <Table
        label={label}
        rows={tokens}
        columns={[...columns, actions]}
        rowKey={({ id }) => id}
        paged
        cut={{ at: LIMITS.pageItems, text: CUT_TEXT }}
        {...useUrlPage()}
      />
      {ending !== null && (
        <ConfirmDialog
          title={`Are you sure you want to end ${ending.name}?`}
          text={endText}
          tone="danger"
          onYes={() => void endNow(ending)}
          onClose={() => setEnding(null)}
        />
      )}
    </>
  );
}

export function TokenName({ name, text }: { name: string; text: string }) {
  return (
    <>
      <strong>{visible(name)}</strong>
      <br />
      <span className="muted">{visible(text)}</span>
    </>
  );
}

export function TokenStateBadge({ word, tone, icon }: TokenLook) {
  return (
    <Badge tone={tone} {...(icon && { icon })}>
      {word}
    </Badge>
  );
}
