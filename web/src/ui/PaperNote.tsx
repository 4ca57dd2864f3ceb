import { useIsPrinting } from './use-is-printing.ts';

/** A sentence on paper alone; rendered only while the browser prints, so that a search does not find it. */
export function PaperNote({ children }: { children: string }) {
  return useIsPrinting() && <p className="print-only">{children}</p>;
}
