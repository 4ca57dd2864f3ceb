import { useCallback, useState } from 'react';
import { DATE_OPTIONS, type DateChoice } from '../date-range.ts';
import { shownDate } from '../format.ts';
import { isOneOf } from '../narrow.ts';
import { MOBILE, useMediaQuery } from '../state/use-media-query.ts';
import { Select } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { Popover } from '../ui/Popover.tsx';
import { CustomDateForm } from './CustomDateForm.tsx';

const OPTIONS = DATE_OPTIONS.map(({ value }) => value);

interface DateFilterProps {
  value: DateChoice;
  onChange: (value: DateChoice) => void;
}

/** Offers the ranges of the specification's section 4; Custom opens a popover, or a modal on a narrow screen. */
export function DateFilter({ value, onChange }: DateFilterProps) {
  const [picking, setPicking] = useState(false);
  const mobile = useMediaQuery(MOBILE);
  const close = useCallback(() => setPicking(false), []);
  const form = (
    <CustomDateForm
      onApply={(from, to) => {
        onChange({ option: 'CUSTOM', from, to });
        close();
      }}
    />
  );
  const custom = value.option === 'CUSTOM' ? `${shownDate(value.from)} – ${shownDate(value.to)}` : 'Custom';
  return (
    <div className="date-filter">
      <Select
        label="Date"
        hideLabel
        value={picking ? 'PICK' : value.option}
        options={[
          ...DATE_OPTIONS,
          ...(value.option === 'CUSTOM' ? [{ value: 'CUSTOM', label: custom }] : []),
          { value: 'PICK', label: value.option === 'CUSTOM' ? 'Custom…' : 'Custom' },
        ]}
        onChange={({ target: { value: option } }) => {
          if (option === 'PICK') setPicking(true);
          else if (isOneOf(OPTIONS, option)) onChange({ option });
        }}
      />
      {picking && mobile && (
        <Modal title="Date filter" onClose={close}>
          {form}
        </Modal>
      )}
      {picking && !mobile && (
        <Popover label="Date filter" onClose={close}>
          <h2>Date filter</h2>
          {form}
        </Popover>
      )}
    </div>
  );
}
