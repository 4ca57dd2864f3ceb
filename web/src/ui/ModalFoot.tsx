import type { ComponentProps } from 'react';
import { Button } from './Button.tsx';
import { useCloseDialog } from './use-dialog.ts';

/** Shows the foot of a form in a dialog: Cancel and the submit button. */
export function ModalFoot(submit: Pick<ComponentProps<typeof Button>, 'busy' | 'icon' | 'children'>) {
  const close = useCloseDialog();
  return (
    <div className="modal-foot">
      <Button onClick={close}>Cancel</Button>
      <Button tone="primary" type="submit" {...submit} />
    </div>
  );
}
