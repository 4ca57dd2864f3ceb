import { useState } from 'react';
import { useViewSettings } from '../state/view-settings.ts';
import { Button } from '../ui/Button.tsx';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Select } from '../ui/Field.tsx';
import { Popover } from '../ui/Popover.tsx';
import type { TableView } from './table-columns.ts';

/** Opens the settings of a table: columns, order and density. */
export function TableViewButton({ view, label }: { view: TableView; label: string }) {
  const [isOpen, setOpen] = useState(false);
  const { settings, change } = useViewSettings();
  return (
    <div className="table-view">
      <Button aria-expanded={isOpen} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        View
      </Button>
      {isOpen && (
        <Popover label={label} onClose={() => setOpen(false)}>
          <Select
            label="Order"
            value={view.order}
            options={[
              { value: '', label: 'Usual' },
              ...view.orders.flatMap((name) => [
                { value: name, label: `${name}, ascending` },
                { value: `-${name}`, label: `${name}, descending` },
              ]),
            ]}
            onChange={(event) => view.onOrder(event.target.value)}
          />
          <Select
            label="Density"
            value={settings.density}
            options={[
              { value: 'comfortable', label: 'Comfortable' },
              { value: 'compact', label: 'Compact' },
            ]}
            onChange={(event) =>
              change({ density: event.target.value === 'compact' ? 'compact' : 'comfortable' })
            }
          />
          <fieldset>
            <legend>Columns</legend>
            {view.columns.map(({ name, isShown }) => (
              <Checkbox
                key={name}
                label={name}
                checked={isShown}
                onChange={(on) => view.onColumn(name, on)}
              />
            ))}
          </fieldset>
        </Popover>
      )}
    </div>
  );
}
