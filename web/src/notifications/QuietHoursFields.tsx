import { Checkbox } from '../ui/Checkbox.tsx';
import { Select, TextInput } from '../ui/Field.tsx';
import type { Form } from '../forms/use-form.ts';
import type { QuietValues } from './notification-rule-values.ts';

/** Returns this browser's time zones and the chosen one as choices. */
function zonesWith(chosen: string): { value: string; label: string }[] {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), chosen]);
  return [...zones].map((zone) => ({ value: zone, label: zone }));
}

interface QuietHoursFieldsProps {
  form: Pick<Form<QuietValues>, 'values' | 'errors' | 'touch' | 'set'>;
}

/** Fields for a time zone and the hours without mails. */
export function QuietHoursFields({ form: { values, errors, touch, set } }: QuietHoursFieldsProps) {
  return (
    <>
      <Select
        label="Time zone"
        options={zonesWith(values.zone)}
        value={values.zone}
        onChange={(event) => set('zone', event.target.value)}
      />
      <Checkbox
        label="Quiet hours"
        hint="Mails wait until they end."
        checked={values.hasQuietHours}
        onChange={(hasQuietHours) => set('hasQuietHours', hasQuietHours)}
      />
      {values.hasQuietHours && (
        <div className="two-columns">
          <TextInput
            label="From"
            type="time"
            value={values.quietFrom}
            error={errors.quietFrom}
            onBlur={() => touch('quietFrom')}
            onChange={(event) => set('quietFrom', event.target.value)}
          />
          <TextInput
            label="To"
            type="time"
            value={values.quietTo}
            error={errors.quietTo}
            onBlur={() => touch('quietTo')}
            onChange={(event) => set('quietTo', event.target.value)}
          />
        </div>
      )}
    </>
  );
}
