import type { ComponentProps } from 'react';
import { Button } from './Button.tsx';
import { useCloseDialog } from './use-dialog.ts';

/** The foot of a form in a dialog: Cancel, and the button that submits. */
export function ModalFoot(submit: Pick<ComponentProps<typeof Button>, 'busy' | 'icon' | 'children'>) {
  const close = useCloseDialog();
  return (
    <div className="modal-foot">
      <Button onClick={close}>Cancel</Button>
      <Button tone="primary" type="submit" {...submit} />
    </div>
  );
}
