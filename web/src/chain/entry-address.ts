import { createContext } from 'react';
import { paths } from '../paths.ts';

export type EntryAddress = (deviceId: string, fileId: string, entryId: string) => string;

/** Address of a chain entry: the file's panel, unless the surrounding page shows the chain. */
export const EntryAddressContext = createContext<EntryAddress>(paths.entry);
