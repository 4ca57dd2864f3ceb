import type { ComponentProps } from 'react';
import { SideModal } from '../ui/SideModal.tsx';
import { StaleBanner } from './StaleBanner.tsx';

/** Panel beside the page; covers the page's own word that it may be out of date, so it says the same. */
export function Panel({ children, ...props }: ComponentProps<typeof SideModal>) {
  return (
    <SideModal {...props}>
      <StaleBanner />
      {children}
    </SideModal>
  );
}
