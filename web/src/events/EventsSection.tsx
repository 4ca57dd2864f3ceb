import {
  EventSchema,
  eventWords,
  containsText,
  NO_DEVICE,
  searchedTimes,
  type EventsQuery,
} from '@sentinel-node/contracts';
import type { Event } from '../answers.ts';
import { useCallback, useRef, useState } from 'react';
import { inRange, isMoving, rangeOf, type DateChoice } from '../date-range.ts';
import { messageOf } from '../errors.ts';
import { shownDateTime } from '../format.ts';
import { api } from '../state/api.ts';
import { serverNow } from '../state/clock.ts';
import { withAlert } from './event-alert.ts';
import { liveObject } from '../state/live-object.ts';
import { addressWith, closeByUrl, openByUrl, setUrlParams, useUrlParams } from '../state/url.ts';
import { dateOf, dateParams } from '../state/url-date.ts';
import { searchedZone, zoneName } from '../time-zone.ts';
import { useNow } from '../state/use-now.ts';
import { usePages } from '../state/use-pages.ts';
import { useSame } from '../state/use-same.ts';
import { useUrlText } from '../state/use-url-text.ts';
import { Button } from '../ui/Button.tsx';
import { SearchInput } from '../ui/SearchInput.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';
import { DateFilter } from '../components/DateFilter.tsx';
import { EventPanel } from './EventPanel.tsx';
import { EventTable } from './EventTable.tsx';
import { ExportModal } from '../components/ExportModal.tsx';
import { LoadMore } from '../components/LoadMore.tsx';
import { isAbove, NewRows } from '../components/NewRows.tsx';

/** Returns the searched texts: the row's and the API's names. */
const textsOf = (event: Event): (string | null)[] => [
  event.type,
  ...eventWords(event),
  event.deviceName,
  event.fileName,
  ...searchedTimes(shownDateTime(event.timestamp)),
];

function useEvents(orgId: string, search: string, choice: DateChoice, isAway: () => boolean) {
  const same = useSame(choice);
  const isPassing = isMoving(choice);
  const now = useNow(isPassing);
  const load = useCallback(
    async (lastId: string | undefined, signal: AbortSignal | undefined, limit: number) => {
      const query: EventsQuery = {
        ...rangeOf(same, serverNow()),
        limit,
        ...(lastId !== undefined && { lastId }),
      };
      if (search !== '') Object.assign(query, { search, timeZone: zoneName() });
      const page = await api().getEvents(orgId, query, signal);
      return { items: page.events, lastId: page.lastId };
    },
    [orgId, search, same],
  );
  return usePages<Event>({
    key: `events ${orgId} ${search} ${searchedZone(search)} ${JSON.stringify(choice)}`,
    load,
    read: (item) => (item.kind === 'event' ? liveObject(EventSchema, item) : null),
    matches: (event) =>
      inRange(event.timestamp, rangeOf(choice, serverNow())) && containsText(textsOf(event), search),
    patch: withAlert,
    isPast: isPassing ? (event) => !inRange(event.timestamp, rangeOf(choice, now)) : undefined,
    holds: () => search !== '' || choice.option !== 'ALL' || isAway(),
  });
}

const panelOf = ({ id, deviceId }: Event) => ({ event: id, in: deviceId ?? NO_DEVICE });

/** Shows the events table with search, date filter, export and the event's panel. */
export function EventsSection({ orgId }: { orgId: string }) {
  const params = useUrlParams();
  const { text, setText, settled } = useUrlText('search');
  const choice = dateOf(params);
  const [exporting, setExporting] = useState(false);
  const list = useRef<HTMLElement>(null);
  const events = useEvents(orgId, settled, choice, () => isAbove(list));
  const filtered = settled !== '' || choice.option !== 'ALL';
  const [shownId, shownIn] = [params.get('event'), params.get('in')];
  const listed = events.items.find(({ id }) => id === shownId);
  return (
    <section className="card card-flush" aria-labelledby="events-title" ref={list}>
      <header className="toolbar">
        <h2 id="events-title" className="grow">
          Events
        </h2>
        <SearchInput label="Search events" placeholder="Search events" value={text} onChange={setText} />
        <DateFilter value={choice} onChange={(date) => setUrlParams(dateParams(date), { push: true })} />
        <Button icon="download" shortcut="export" onClick={() => setExporting(true)}>
          Export
        </Button>
      </header>
      <NewRows
        count={events.waiting}
        more={events.waitingMore}
        name="event"
        list={list}
        onShow={events.bringIn}
      />
      {events.loading && <Skeleton lines={6} label="Loading events" />}
      {events.error !== null && events.data === undefined && (
        <ErrorState
          title="Events cannot be shown"
          message={messageOf(events.error)}
          onRetry={events.reload}
        />
      )}
      {events.data !== undefined && events.items.length === 0 && (
        <NoEvents filtered={filtered} isEnd={!events.hasMore} />
      )}
      {events.items.length > 0 && (
        <EventTable
          events={events.items}
          hrefOf={(event) => addressWith(panelOf(event))}
          onEvent={(event) => openByUrl(panelOf(event))}
        />
      )}
      {events.hasMore && (
        <LoadMore busy={events.loadingMore} failed={events.moreFailed} onMore={events.loadMore} />
      )}
      {shownId !== null && (
        <EventPanel
          key={shownId}
          orgId={orgId}
          id={shownId}
          deviceId={shownIn ?? NO_DEVICE}
          listed={listed}
          onClose={() => closeByUrl({ event: null, in: null })}
        />
      )}
      {exporting && (
        <ExportModal
          kind="Events"
          isFiltered={settled !== ''}
          download={(range, isOnlyMatching) =>
            api().exportEvents(orgId, {
              ...(isOnlyMatching && { search: settled }),
              ...range,
              timeZone: zoneName(),
            })
          }
          onClose={() => setExporting(false)}
        />
      )}
    </section>
  );
}

function NoEvents({ filtered, isEnd }: { filtered: boolean; isEnd: boolean }) {
  if (!isEnd) return <EmptyState icon="search" title="No event matches so far." />;
  if (filtered) return <EmptyState icon="search" title="No event matches." />;
  return (
    <EmptyState title="There are no events.">Events will appear after adding devices and files.</EmptyState>
  );
}
