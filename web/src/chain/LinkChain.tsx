import type { Link } from '../answers.ts';
import { useMemo } from 'react';
import type { FileKey } from '../api/calls/files.ts';
import { messageOf } from '../errors.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';
import { chainRows, type ChainRow } from './chain-rows.ts';
import { useChain } from './use-chain.ts';
import { AllProofsButton } from './AllProofsButton.tsx';
import { ChainEntryItem } from './ChainEntryItem.tsx';
import { ChainLink } from './ChainLink.tsx';

interface LinkChainProps {
  orgId: string;
  deviceId: string;
  fileId: string;
  /** The link to show and mark; null shows the newest links. */
  hashId: string | null;
}

/** Draws a file's links as a chain, newest first. */
export function LinkChain({ orgId, deviceId, fileId, hashId }: LinkChainProps) {
  const key = useMemo(() => ({ orgId, deviceId, fileId }), [orgId, deviceId, fileId]);
  const chain = useChain(key, hashId);
  if (chain.resource.loading) return <Skeleton lines={5} label="Loading the link chain" />;
  if (chain.failure !== null) {
    return (
      <ErrorState
        title="The chain could not be read"
        message={messageOf(chain.failure)}
        onRetry={chain.retry}
      />
    );
  }
  const rows = chainRows(chain.links, chain.entries);
  if (rows.length === 0) return <EmptyState icon="link" title="No links" />;
  const { top, bottom, earlier } = loadButtons(chain.links, chain.newer, chain.older);
  return (
    <div className="chain">
      {(chain.newer || chain.older) && (
        <p className="print-only">
          This is a part of the chain: {partOf(chain.newer, chain.older)} entries exist.
        </p>
      )}
      <AllProofsButton file={key} />
      {top && (
        <Button small icon="chevronUp" busy={chain.busy === 'newer'} onClick={() => chain.loadMore('newer')}>
          Load newer links
        </Button>
      )}
      <ol className="chain-list" aria-label="Link chain, newest first">
        {rows.map((row) => (
          <Row key={row.id} row={row} file={key} current={row.id === hashId} />
        ))}
      </ol>
      {bottom && (
        <Button
          small
          icon="chevronDown"
          busy={chain.busy === 'older'}
          onClick={() => chain.loadMore('older')}
        >
          Load older links
        </Button>
      )}
      {earlier && (
        <Button
          small
          icon="chevronDown"
          busy={chain.busy === 'older'}
          onClick={() => chain.loadMore('older')}
        >
          Earlier chain
        </Button>
      )}
    </div>
  );
}

function Row({ row, file, current }: { row: ChainRow; file: FileKey; current: boolean }) {
  if (row.kind === 'link') return <ChainLink file={file} link={row.link} current={current} />;
  if (row.kind === 'entry') return <ChainEntryItem file={file} entry={row.entry} current={current} />;
  const numbers = row.from === row.to ? `Entry #${row.to} is` : `Entries #${row.from} to #${row.to} are`;
  return <li className="chain-gap muted">{numbers} not among what was read</li>;
}

const partOf = (newer: boolean, older: boolean): string =>
  newer && older ? 'newer and older' : newer ? 'newer' : 'older';

/**
 * Returns whether to offer newer links, older links, or earlier chains: a first hash ends a chain, but an earlier chain
 * may precede it, before a reset or another path.
 */
function loadButtons(links: Link[], newer: boolean, older: boolean) {
  const atFirstHash = links.at(-1)?.firstHash === true;
  return {
    top: links[0]?.type !== 'END' && newer,
    bottom: !atFirstHash && older,
    earlier: atFirstHash && older,
  };
}
