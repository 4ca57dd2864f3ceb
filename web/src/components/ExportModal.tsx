import { useState } from 'react';
import { csvName } from '../csv-name.ts';
import { dayEnd, dayStart, lastMonth } from '../date-range.ts';
import { saveFile } from '../download.ts';
import { messageOf } from '../errors.ts';
import { useForm } from '../forms/use-form.ts';
import { notify } from '../state/notices.ts';
import { Button } from '../ui/Button.tsx';
import { TextInput } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { useCloseDialog } from '../ui/use-dialog.ts';

interface ExportModalProps {
  kind: 'Events' | 'Alerts';
  download: (range: { timestampFrom: string; timestampTo: string }) => Promise<Blob>;
  onClose: () => void;
}

const EMPTY = 'Field cannot be empty';

function validate({ from, to }: { from: string; to: string }) {
  const backwards = from !== '' && to !== '' && from > to;
  return {
    from: from === '' ? EMPTY : undefined,
    to: to === '' ? EMPTY : backwards ? 'The end lies before the beginning' : undefined,
  };
}

/** A range of whole days, and the CSV that the server makes of it. */
export function ExportModal({ kind, download, onClose }: ExportModalProps) {
  const form = useForm(useState(() => lastMonth(new Date()))[0], validate);
  const [busy, setBusy] = useState(false);
  const run = async ({ from, to }: { from: string; to: string }): Promise<void> => {
    setBusy(true);
    try {
      const content = await download({ timestampFrom: dayStart(from), timestampTo: dayEnd(to) });
      saveFile(csvName(kind, new Date()), content);
      onClose();
    } catch (error) {
      setBusy(false);
      notify({ tone: 'danger', title: 'Error!', text: messageOf(error) });
    }
  };
  const input = (name: 'from' | 'to', label: string) => (
    <TextInput
      label={label}
      type="date"
      value={form.values[name]}
      error={form.errors[name]}
      onChange={(event) => form.set(name, event.target.value)}
      onBlur={() => form.touch(name)}
    />
  );
  return (
    <Modal title={`Export ${kind.toLowerCase()}`} onClose={onClose}>
      <form className="stack" noValidate onSubmit={form.submit((values) => void run(values))}>
        <div className="two-columns">
          {input('from', 'Date from')}
          {input('to', 'Date to')}
        </div>
        <Foot busy={busy} />
      </form>
    </Modal>
  );
}

function Foot({ busy }: { busy: boolean }) {
  const close = useCloseDialog();
  return (
    <div className="modal-foot">
      <Button onClick={close}>Cancel</Button>
      <Button tone="primary" type="submit" icon="download" busy={busy}>
        Export
      </Button>
    </div>
  );
}
