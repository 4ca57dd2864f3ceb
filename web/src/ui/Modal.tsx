import { visible } from '@sentinel-node/contracts';
import { useId, type ReactNode } from 'react';
import { IconButton } from './Button.tsx';
import { DialogClose, useDialog } from './use-dialog.ts';

interface ModalProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
  /** Whether a button must answer the dialog, which then has no cross. */
  question?: boolean;
  /** Whether the dialog goes on after `onClose`, which then only stops its work. */
  stays?: boolean;
}

export function Modal({ title, onClose, children, wide, question, stays }: ModalProps) {
  const id = useId();
  const { dialogProps, close } = useDialog(onClose, stays);
  return (
    <dialog
      {...dialogProps}
      className={`modal${wide ? ' modal-wide' : ''}`}
      aria-labelledby={id}
      {...(question && { role: 'alertdialog' })}
    >
      <DialogClose value={close}>
        <div className="modal-body">
          <header className="modal-head">
            <h2 id={id}>{visible(title)}</h2>
            {!question && <IconButton icon="close" label="Close" onClick={close} />}
          </header>
          {children}
        </div>
      </DialogClose>
    </dialog>
  );
}
