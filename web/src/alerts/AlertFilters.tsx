import {
  ALERT_STATUSES,
  ALERT_TYPES,
  CATEGORIES,
  LIMITS,
  NOBODY,
  YES_NO,
  type AlertCount,
  type AlertCounts,
  type YesNo,
} from '@sentinel-node/contracts';
import type { DeviceListItem } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { alertName, capitalised, categoryWord, shortHash } from '../format.ts';
import { userAtom } from '../state/session.ts';
import { Button } from '../ui/Button.tsx';
import { Combobox, type Choice } from '../ui/Combobox.tsx';
import { Select } from '../ui/Field.tsx';
import { distinct } from '../ui/distinct.ts';
import { SearchInput } from '../ui/SearchInput.tsx';
import { useFocusInside } from '../ui/use-focus-inside.ts';
import type { AlertFilter } from './alerts-list.ts';
import { DateFilter } from '../components/DateFilter.tsx';

interface AlertFiltersProps {
  value: AlertFilter;
  devices: readonly DeviceListItem[];
  /** Why the devices are missing; undefined when they are there. */
  missing: string | undefined;
  /** undefined while unknown; then no counts are shown. */
  counts: AlertCounts | undefined;
  onChange: (value: AlertFilter) => void;
  /** Shown after the filters. */
  children: React.ReactNode;
}

const statuses = [
  { value: '', label: 'All statuses' },
  ...ALERT_STATUSES.map((status) => ({ value: status, label: capitalised(status) })),
];

const expectedWord: Record<YesNo, string> = { yes: 'Expected', no: 'Not expected' };
const plannedWord: Record<YesNo, string> = { yes: 'Planned', no: 'Not planned' };

const HIDDEN = [
  'type',
  'category',
  'fileId',
  'handledBy',
  'assignee',
  'label',
  'planned',
  'expected',
] as const;

/** Filters by search, date, status and device; shows further ones on demand or when one is set. */
export function AlertFilters(props: AlertFiltersProps) {
  const { value, devices, missing, counts, onChange, children } = props;
  const isSet = HIDDEN.some((name) => value[name] !== '');
  const [isOpen, setOpen] = useState(isSet);
  // Emptied, they stay until the person closes them: another value may be wanted.
  if (isSet && !isOpen) setOpen(true);
  const deviceNames = devices.map(({ id, name }): [string, string] => [id, name]);
  const inside = useFocusInside<HTMLDivElement>();
  return (
    <div className="toolbar alert-filters" {...inside}>
      <SearchInput
        label="Search alerts"
        placeholder="Search alerts"
        value={value.search}
        onChange={(search) => onChange({ ...value, search })}
      />
      <div className="grow toolbar-gap" />
      <DateFilter value={value.date} onChange={(date) => onChange({ ...value, date })} />
      <Select
        label="Status"
        hideLabel
        options={statuses}
        value={value.status}
        onChange={(event) => onChange({ ...value, status: event.target.value })}
      />
      <Combobox
        label="Device"
        choices={choicesOf('All devices', deviceNames, counts?.deviceId, value.deviceId)}
        value={value.deviceId}
        onChange={(deviceId) => onChange({ ...value, deviceId })}
        missing={missing}
      />
      {!isSet && (
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Fewer filters' : 'More filters'}
        </Button>
      )}
      {isOpen && <MoreFilters {...props} />}
      {value.contentHash !== '' && (
        <Button small icon="close" onClick={() => onChange({ ...value, contentHash: '' })}>
          {`Content ${shortHash(value.contentHash)}`}
        </Button>
      )}
      {value.window !== '' && (
        <Button small icon="close" onClick={() => onChange({ ...value, window: '' })}>
          {`Window ${counts?.window.find((one) => one.value === value.window)?.name ?? ''}`}
        </Button>
      )}
      {value.list !== '' && (
        <Button small icon="close" onClick={() => onChange({ ...value, list: '' })}>
          {`List ${counts?.list.find((one) => one.value === value.list)?.name ?? ''}`}
        </Button>
      )}
      {children}
    </div>
  );
}

function MoreFilters({ value, devices, missing, counts, onChange }: AlertFiltersProps) {
  const me = useAtomValue(userAtom);
  const people: [string, string][] = [
    [NOBODY, 'Nobody'],
    ...(me === null ? [] : [[me.userId, `${me.email} (you)`] as [string, string]]),
  ];
  return (
    <>
      <Select
        label="Type"
        hideLabel
        options={counted('All types', ALERT_TYPES, (type) => alertName[type], counts?.type)}
        value={value.type}
        onChange={(event) => onChange({ ...value, type: event.target.value })}
      />
      <Select
        label="Category"
        hideLabel
        options={counted('All categories', CATEGORIES, (one) => categoryWord[one], counts?.category)}
        value={value.category}
        onChange={(event) => onChange({ ...value, category: event.target.value })}
      />
      <Combobox
        label="File"
        choices={choicesOf('All files', [], counts?.fileId, value.fileId)}
        value={value.fileId}
        onChange={(fileId) => onChange({ ...value, fileId })}
        missing={missingOf('files', counts?.fileId)}
      />
      <Combobox
        label="Handled by"
        choices={choicesOf('Handled by anybody', people.slice(1), counts?.handledBy, value.handledBy)}
        value={value.handledBy}
        onChange={(handledBy) => onChange({ ...value, handledBy })}
        missing={missingOf('people', counts?.handledBy)}
      />
      <Combobox
        label="Assigned to"
        choices={choicesOf('Assigned to anybody', people, counts?.assignee, value.assignee)}
        value={value.assignee}
        onChange={(assignee) => onChange({ ...value, assignee })}
        missing={missingOf('people', counts?.assignee)}
      />
      <Combobox
        label="Label"
        choices={choicesOf('All labels', labelsOf(devices), undefined, value.label)}
        value={value.label}
        onChange={(label) => onChange({ ...value, label })}
        missing={missing}
      />
      <Select
        label="Planned"
        hideLabel
        options={counted('Planned or not', YES_NO, (one) => plannedWord[one], counts?.planned)}
        value={value.planned}
        onChange={(event) => onChange({ ...value, planned: event.target.value })}
      />
      <Select
        label="Expected"
        hideLabel
        options={counted('Expected or not', YES_NO, (one) => expectedWord[one], counts?.expected)}
        value={value.expected}
        onChange={(event) => onChange({ ...value, expected: event.target.value })}
      />
    </>
  );
}

/** Returns the devices' distinct labels as choices, sorted. */
const labelsOf = (devices: readonly DeviceListItem[]): [string, string][] =>
  [...new Set(devices.flatMap(({ labels }) => labels ?? []))].sort().map((label) => [label, label]);

/** Returns all values of a filter, with the number of matching alerts. */
function counted<T extends string>(
  all: string,
  values: readonly T[],
  wordOf: (value: T) => string,
  counts: readonly AlertCount[] | undefined,
) {
  const options = values.map((value) => {
    const alerts = counts?.find((count) => count.value === value)?.alerts ?? 0;
    const suffix = counts === undefined ? '' : ` (${alerts.toLocaleString('en-US')})`;
    return { value, label: wordOf(value) + suffix };
  });
  return [{ value: '', label: all }, ...options];
}

/** Returns why some of a filter's values are not offered: only counts name them. */
function missingOf(values: string, counts: readonly AlertCount[] | undefined): string | undefined {
  if (counts === undefined) return `Which ${values} have alerts is not known now, as during a search.`;
  return counts.length < LIMITS.countedValues
    ? undefined
    : `Only the ${LIMITS.countedValues} ${values} with most alerts are offered.`;
}

/**
 * Returns the choices, those with alerts first; always contains the chosen one. Equal names are told apart.
 * @param known names listed even without alerts
 */
function choicesOf(
  all: string,
  known: readonly (readonly [string, string])[],
  counts: readonly AlertCount[] | undefined,
  chosen: string,
): Choice[] {
  const names = new Map(known);
  const withAlerts = (counts ?? []).map(({ value, name, alerts }) => ({
    value,
    label: names.get(value) ?? name,
    count: alerts,
  }));
  const listed = new Set(withAlerts.map(({ value }) => value));
  const others = known.filter(([value]) => !listed.has(value)).map(([value, label]) => ({ value, label }));
  const choices = [{ value: '', label: all }, ...withAlerts, ...others];
  const isListed = choices.some(({ value }) => value === chosen);
  return distinct(isListed ? choices : [...choices, { value: chosen, label: chosen }]);
}
