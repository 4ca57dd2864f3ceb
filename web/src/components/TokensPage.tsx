import { EventSchema, type EventType, type Readable } from '@sentinel-node/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { messageOf } from '../errors.ts';
import { liveObject } from '../state/live-object.ts';
import { UNANNOUNCED_MS, useReadAgain } from '../state/use-read-again.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';
import { ButtonLink } from '../ui/Button.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

interface TokensPageProps<T> {
  /** Title such as `Service tokens`, from which all texts about the list are made. */
  title: string;
  text: string;
  /** The parent page. */
  over: { readonly path: string; readonly title: string };
  /** Path of the page that makes one. */
  make: string;
  /** Text of the link to `make`; default: `Make a token`. */
  makeText?: string;
  /** Link to what explains their use. */
  reference?: ReactNode;
  /** Key of the list. */
  resource: string;
  load: (signal: AbortSignal) => Promise<T[]>;
  /** Events after which the list is read again. */
  changing: readonly Readable<EventType>[];
  empty: { readonly icon: IconName; readonly text: string };
  /** Renders the tokens; called with at least one. */
  table: (tokens: T[], onChanged: () => void) => ReactNode;
}

/** Page of all tokens, or of other objects that administrators make, newest first. */
export function TokensPage<T>(props: TokensPageProps<T>) {
  const {
    title,
    text,
    over,
    make,
    makeText = 'Make a token',
    reference,
    resource,
    load,
    changing,
    empty,
    table,
  } = props;
  const name = title.toLowerCase();
  const tokens = useResource<T[]>({
    key: resource,
    load,
    apply: (data, item) => {
      const type = item.kind === 'event' ? liveObject(EventSchema, item)?.type : undefined;
      return type !== undefined && changing.includes(type) ? RELOAD : data;
    },
  });
  const { data } = tokens;
  useReadAgain(tokens.readAgain, UNANNOUNCED_MS);
  return (
    <>
      <PageHeader
        title={title}
        over={<Link href={over.path}>{over.title}</Link>}
        text={text}
        actions={
          <>
            {reference}
            <ButtonLink to={make} tone="primary" icon="plus">
              {makeText}
            </ButtonLink>
          </>
        }
      />
      <section className="card card-flush" aria-label={title}>
        {tokens.loading && <Skeleton lines={5} label={`Loading ${name}`} />}
        {data === undefined && tokens.error !== null && (
          <ErrorState
            title={`${title} cannot be shown`}
            message={messageOf(tokens.error)}
            onRetry={tokens.reload}
          />
        )}
        {data?.length === 0 && (
          <EmptyState icon={empty.icon} title={`There is no ${name.replace(/s$/, '')} yet.`}>
            {empty.text}
          </EmptyState>
        )}
        {data !== undefined && data.length > 0 && table(data, tokens.reload)}
      </section>
    </>
  );
}
