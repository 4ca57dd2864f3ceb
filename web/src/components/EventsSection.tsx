import { EventSchema, type Event, type EventsQuery } from '@sentinel-node/contracts';
import { useCallback, useState } from 'react';
import { inRange, rangeOf, type DateChoice } from '../date-range.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { liveObject, upsert } from '../state/live-object.ts';
import { useDebounced } from '../state/use-debounced.ts';
import { usePages } from '../state/use-pages.ts';
import { RELOAD } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';
import { TABLE_PAGE_LENGTH } from '../ui/Table.tsx';
import { DateFilter } from './DateFilter.tsx';
import { EventPanel } from './EventPanel.tsx';
import { EventTable } from './EventTable.tsx';
import { ExportModal } from './ExportModal.tsx';
import { LoadMore } from './LoadMore.tsx';

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function useEvents(orgId: string, search: string, choice: DateChoice) {
  const filter = JSON.stringify(choice);
  const load = useCallback(
    async (lastId: string | undefined, signal: AbortSignal | undefined) => {
      const range = rangeOf(JSON.parse(filter) as DateChoice, Date.now());
      const query: EventsQuery = {
        ...range,
        limit: TABLE_PAGE_LENGTH,
        ...(lastId !== undefined && { lastId }),
      };
      if (search !== '') Object.assign(query, { search, timeZone });
      const page = await api().getEvents(orgId, query, signal);
      return { items: page.events, lastId: page.lastId };
    },
    [orgId, search, filter],
  );
  return usePages<Event>({
    key: `events ${orgId} ${search} ${filter}`,
    load,
    apply: (events, item) => {
      const event = item.kind === 'event' ? liveObject(EventSchema, item) : null;
      if (event === null) return events;
      // Whether an event matches a search is the server's to say.
      if (search !== '') return RELOAD;
      return inRange(event.timestamp, rangeOf(choice, Date.now())) ? upsert(events, event) : events;
    },
  });
}

/** The events table with search, date filter, export and the event's panel. */
export function EventsSection({ orgId }: { orgId: string }) {
  const [search, setSearch] = useState('');
  const [choice, setChoice] = useState<DateChoice>({ option: 'ALL' });
  const [shown, setShown] = useState<Event | null>(null);
  const [exporting, setExporting] = useState(false);
  const settled = useDebounced(search.trim());
  const events = useEvents(orgId, settled, choice);
  const filtered = settled !== '' || choice.option !== 'ALL';
  return (
    <section className="card card-flush" aria-labelledby="events-title">
      <header className="toolbar">
        <h2 id="events-title" className="grow">
          Events
        </h2>
        <SearchInput label="Search events" placeholder="Search events" value={search} onChange={setSearch} />
        <DateFilter value={choice} onChange={setChoice} />
        <Button icon="download" onClick={() => setExporting(true)}>
          Export
        </Button>
      </header>
      {events.loading && <Skeleton lines={6} label="Loading events" />}
      {events.error !== null && events.data === undefined && (
        <ErrorState
          title="Events cannot be shown"
          message={messageOf(events.error)}
          onRetry={events.reload}
        />
      )}
      {events.data !== undefined && events.items.length === 0 && <NoEvents filtered={filtered} />}
      {events.items.length > 0 && <EventTable events={events.items} onEvent={setShown} />}
      {events.hasMore && (
        <LoadMore busy={events.loadingMore} failed={events.moreFailed} onMore={events.loadMore} />
      )}
      {shown !== null && <EventPanel orgId={orgId} event={shown} onClose={() => setShown(null)} />}
      {exporting && (
        <ExportModal
          kind="Events"
          download={(range) => api().exportEvents(orgId, { ...range, timeZone })}
          onClose={() => setExporting(false)}
        />
      )}
    </section>
  );
}

function NoEvents({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState icon="search" title="No event matches." />;
  return (
    <EmptyState title="There are no events.">Events will appear after adding devices and files.</EmptyState>
  );
}
