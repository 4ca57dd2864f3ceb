import { dayError, LAST_DAY, momentOf, PERIODS, TIME_PATTERN, type Period } from '../date-range.ts';
import { useForm, type Form } from '../forms/use-form.ts';
import { isOneOf } from '../narrow.ts';
import { Button } from '../ui/Button.tsx';
import { Select, TextInput } from '../ui/Field.tsx';

interface Values {
  dateFrom: string;
  timeFrom: string;
  periodFrom: Period;
  dateTo: string;
  timeTo: string;
  periodTo: Period;
}

const EMPTY = 'Field cannot be empty';
const initial: Values = {
  dateFrom: '',
  timeFrom: '',
  periodFrom: 'AM',
  dateTo: '',
  timeTo: '',
  periodTo: 'AM',
};

const time = (value: string): string | undefined =>
  value === '' ? EMPTY : TIME_PATTERN.test(value) ? undefined : 'Time is hh:mm, 12 hours';

function validate(values: Values) {
  const errors = {
    dateFrom: dayError(values.dateFrom, EMPTY),
    dateTo: dayError(values.dateTo, EMPTY),
    timeFrom: time(values.timeFrom),
    timeTo: time(values.timeTo),
  };
  const complete = Object.values(errors).every((error) => error === undefined);
  const backwards = complete && from(values) > to(values);
  return backwards ? { ...errors, dateTo: 'The end lies before the beginning' } : errors;
}

const from = (values: Values): string =>
  momentOf(values.dateFrom, values.timeFrom, values.periodFrom, 'beginning');
const to = (values: Values): string => momentOf(values.dateTo, values.timeTo, values.periodTo, 'end');

export function CustomDateForm({ onApply }: { onApply: (from: string, to: string) => void }) {
  const form = useForm(initial, validate);
  return (
    <form
      className="stack stack-tight"
      noValidate
      onSubmit={form.submit((values) => onApply(from(values), to(values)))}
    >
      <Moment form={form} end="From" />
      <Moment form={form} end="To" />
      <div className="row row-end">
        <Button tone="primary" type="submit">
          Apply filter
        </Button>
      </div>
    </form>
  );
}

const periods = [
  { value: 'AM', label: 'AM' },
  { value: 'PM', label: 'PM' },
];

function Moment({ form, end }: { form: Form<Values>; end: 'From' | 'To' }) {
  const [date, clock, period] = [`date${end}`, `time${end}`, `period${end}`] as const;
  const word = end.toLowerCase();
  return (
    <div className="moment">
      <TextInput label={`Date ${word}`} type="date" max={LAST_DAY} {...form.text(date)} />
      <TextInput
        label={`Time ${word}`}
        placeholder="hh:mm"
        maxLength={5}
        inputMode="numeric"
        {...form.text(clock)}
      />
      <Select
        label={`Period ${word}`}
        hideLabel
        options={periods}
        value={form.values[period]}
        onChange={({ target: { value } }) => isOneOf(PERIODS, value) && form.set(period, value)}
      />
    </div>
  );
}
