import type { Link } from '@sentinel-node/contracts';
import { useMemo } from 'react';
import { messageOf } from '../errors.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';
import { useChain } from '../state/use-chain.ts';
import { ChainLink } from './ChainLink.tsx';

interface LinkChainProps {
  orgId: string;
  deviceId: string;
  fileId: string;
  /** The link to show and to mark; null: the newest ones. */
  hashId: string | null;
}

/** A file's links, newest first, drawn as the chain they are. */
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
  if (chain.links.length === 0) return <EmptyState icon="link" title="No links" />;
  const { top, bottom, earlier } = loadButtons(chain.links, chain.newer, chain.older);
  return (
    <div className="chain">
      {top && (
        <Button small icon="chevronUp" busy={chain.busy === 'newer'} onClick={() => chain.loadMore('newer')}>
          Load newer links
        </Button>
      )}
      <ol className="chain-list" aria-label="Link chain, newest first">
        {chain.links.map((link) => (
          <ChainLink key={link.id} file={key} link={link} current={link.id === hashId} />
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

/** A first hash ends a chain, but an earlier one may lie behind it: before a reset or another path. */
function loadButtons(links: Link[], newer: boolean, older: boolean) {
  const atFirstHash = links.at(-1)?.firstHash === true;
  return {
    top: links[0]?.type !== 'END' && newer,
    bottom: !atFirstHash && older,
    earlier: atFirstHash && older,
  };
}
