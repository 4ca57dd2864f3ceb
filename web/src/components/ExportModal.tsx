import { useState } from 'react';
import { csvName } from './csv-name.ts';
import { dayEnd, dayError, dayStart, LAST_DAY, lastMonth } from '../date-range.ts';
import { saveFile } from '../download.ts';
import { messageOf } from '../errors.ts';
import { useForm } from '../forms/use-form.ts';
import { serverNow } from '../state/clock.ts';
import { notify } from '../state/notices.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { TextInput } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';

interface ExportModalProps {
  kind: 'Events' | 'Alerts';
  /** Whether the table has a filter or search beside its date; the person then chooses. */
  isFiltered: boolean;
  /** @param isOnlyMatching leave out what does not match the filter and search of the table */
  download: (range: { timestampFrom: string; timestampTo: string }, isOnlyMatching: boolean) => Promise<Blob>;
  onClose: () => void;
}

const EMPTY = 'Field cannot be empty';

function validate({ from, to }: { from: string; to: string }) {
  const [wrongFrom, wrongTo] = [dayError(from, EMPTY), dayError(to, EMPTY)];
  const backwards = wrongFrom === undefined && wrongTo === undefined && from > to;
  return {
    from: wrongFrom,
    to: wrongTo ?? (backwards ? 'The end lies before the beginning' : undefined),
  };
}

/** Asks for a range of whole days and saves the server's CSV of it. */
export function ExportModal({ kind, isFiltered, download, onClose }: ExportModalProps) {
  const form = useForm(useState(() => lastMonth(new Date(serverNow())))[0], validate);
  const [busy, setBusy] = useState(false);
  const isShown = useIsShown();
  const [isOnlyMatching, setOnlyMatching] = useState(kind === 'Alerts' && isFiltered);
  const run = async ({ from, to }: { from: string; to: string }): Promise<void> => {
    setBusy(true);
    try {
      const range = { timestampFrom: dayStart(from), timestampTo: dayEnd(to) };
      const content = await download(range, isOnlyMatching);
      saveFile(csvName(kind, new Date(serverNow())), content);
      if (isShown()) onClose();
    } catch (error) {
      setBusy(false);
      notify({ tone: 'danger', title: 'Error!', text: messageOf(error) });
    }
  };
  return (
    <Modal title={`Export ${kind.toLowerCase()}`} onClose={onClose}>
      <form className="stack" noValidate onSubmit={form.submit((values) => void run(values))}>
        <div className="two-columns">
          <TextInput label="Date from" type="date" max={LAST_DAY} {...form.text('from')} />
          <TextInput label="Date to" type="date" max={LAST_DAY} {...form.text('to')} />
        </div>
        {isFiltered && (
          <Checkbox
            label={`Only ${kind.toLowerCase()} that match the filter and the search`}
            checked={isOnlyMatching}
            onChange={setOnlyMatching}
          />
        )}
        <ModalFoot icon="download" busy={busy}>
          Export
        </ModalFoot>
      </form>
    </Modal>
  );
}
