import { useState } from 'react';
import type { FileKey } from '../api/calls/files.ts';
import { isCode } from '../api/errors.ts';
import { chainCsv } from './chain-csv.ts';
import { csvName } from '../components/csv-name.ts';
import { saveFile } from '../download.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { serverNow } from '../state/clock.ts';
import { notify } from '../state/notices.ts';
import { Icon } from '../ui/Icon.tsx';
import { Menu } from '../ui/Menu.tsx';

/** Saves the chain or the events of a file as CSV. The chain's section offers the proofs. */
export function FileExport({ fileKey }: { fileKey: FileKey }) {
  const [busy, setBusy] = useState(false);
  const run = (save: (key: FileKey) => Promise<void>): void => {
    if (busy) return;
    setBusy(true);
    save(fileKey)
      .catch((error: unknown) => {
        if (!isCode(error, 'UNAUTHENTICATED'))
          notify({ tone: 'danger', title: 'Error!', text: messageOf(error) });
      })
      .finally(() => setBusy(false));
  };
  return (
    <Menu
      label="Export"
      className="button button-plain"
      trigger={
        <>
          <Icon name="download" size={17} />
          {busy ? 'Exporting…' : 'Export'}
        </>
      }
      items={[
        { label: 'Chain (CSV)', icon: 'link', run: () => run(saveChain) },
        { label: 'Events (CSV)', icon: 'pulse', run: () => run(saveEvents) },
      ]}
    />
  );
}

async function saveChain(key: FileKey): Promise<void> {
  const { text, whole } = await chainCsv((request) => api().getChain(key, request));
  saveFile(csvName('Chain', new Date(serverNow())), new Blob([text], { type: 'text/csv' }));
  if (!whole)
    notify({
      tone: 'warning',
      title: 'Not the whole chain',
      text: 'The file holds a part of its entries. The API gives the others.',
    });
}

async function saveEvents(key: FileKey): Promise<void> {
  saveFile(csvName('Events', new Date(serverNow())), await api().exportFileEvents(key));
}
