import { createContext } from 'react';
import { paths } from '../paths.ts';

export type EntryAddress = (deviceId: string, fileId: string, entryId: string) => string;

/** Where an entry of a chain is shown: in the panel of its file, unless the page around shows the chain itself. */
export const EntryAddressContext = createContext<EntryAddress>(paths.entry);
