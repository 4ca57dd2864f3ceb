import { PaperNote } from './PaperNote.tsx';

/** Says on paper, where no button loads more, that a list goes on. */
export function MoreExist() {
  return <PaperNote>This is the beginning of the list: more exist.</PaperNote>;
}
