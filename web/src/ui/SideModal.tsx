import { visible } from '@sentinel-node/contracts';
import { useId, type ReactNode } from 'react';
import { IconButton } from './Button.tsx';
import { DialogClose, useDialog } from './use-dialog.ts';

interface SideModalProps {
  title: string;
  /** Small text above the title. */
  over?: ReactNode;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
}

export function SideModal({ title, over, onClose, children, footer }: SideModalProps) {
  const id = useId();
  const { dialogProps, close } = useDialog(onClose);
  return (
    <dialog {...dialogProps} className="side-modal" data-shortcuts="" aria-labelledby={id}>
      <DialogClose value={close}>
        <div className="side-modal-body">
          <header className="side-modal-head">
            <div className="grow">
              {over && <div className="over">{over}</div>}
              <h2 id={id} tabIndex={-1}>
                {visible(title)}
              </h2>
            </div>
            <IconButton icon="print" label="Print" onClick={() => window.print()} />
            <IconButton icon="close" label="Close" onClick={close} />
          </header>
          <div className="side-modal-content" tabIndex={-1}>
            {children}
          </div>
          {footer && <footer className="side-modal-foot">{footer}</footer>}
        </div>
      </DialogClose>
    </dialog>
  );
}
