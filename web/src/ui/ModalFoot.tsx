import type { ComponentProps } from 'react';
import { Button } from './Button.tsx';
import { useCloseDialog } from './use-dialog.ts';

interface ModalFootProps extends Pick<ComponentProps<typeof Button>, 'busy' | 'over' | 'icon' | 'children'> {
  /** Text of the button that closes the dialog; default: Cancel. */
  cancel?: string | undefined;
}

/** Shows the foot of a form in a dialog: Cancel and the submit button. */
export function ModalFoot({ cancel = 'Cancel', ...submit }: ModalFootProps) {
  const close = useCloseDialog();
  return (
    <div className="modal-foot">
      <Button onClick={close}>{cancel}</Button>
      <Button tone="primary" type="submit" {...submit} />
    </div>
  );
}
