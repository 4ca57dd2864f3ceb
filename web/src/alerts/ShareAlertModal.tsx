import { LIMITS } from '@sentinel-node/contracts';
import type { Alert } from '../answers.ts';
import { useState } from 'react';
import { failedChange } from '../errors.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { useFailure } from '../state/use-failure.ts';
import { useKeep, useKept } from '../state/use-kept.ts';
import { plural } from '../format.ts';
import { isEmail } from '../forms/rules.ts';
import { Button, IconButton } from '../ui/Button.tsx';
import { TextInput } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { useFocusInside } from '../ui/use-focus-inside.ts';
import { FailureNotice } from '../components/FailureNotice.tsx';
import { Deadline } from '../components/Moment.tsx';
import { hasEnded } from './share-end.ts';

interface ShareAlertModalProps {
  orgId: string;
  alert: Alert;
  onClose: () => void;
  onShared: () => void;
}

interface Address {
  key: number;
  value: string;
  touched: boolean;
}

const errorOf = (value: string): string | undefined =>
  value.trim() === '' ? 'Email is required' : isEmail(value.trim()) ? undefined : 'Invalid email address';

/** Name under which the addresses are kept when the session ends. */
const ADDRESSES = 'share';

const textsOf = (found: unknown): string[] | null =>
  Array.isArray(found) && found.every((one) => typeof one === 'string') ? found : null;

const FAILED = 'An error occurred while sharing the alert.';

export function ShareAlertModal({ orgId, alert, onClose, onShared }: ShareAlertModalProps) {
  const kept = useKept(ADDRESSES, textsOf);
  const [addresses, setAddresses] = useState<Address[]>(
    (kept ?? ['']).map((value, key) => ({ key, value, touched: false })),
  );
  const typed = addresses.map(({ value }) => value);
  useKeep(
    ADDRESSES,
    typed,
    typed.some((value) => value !== ''),
  );
  const [busy, setBusy] = useState(false);
  const { failure, fail, clear, isShown } = useFailure();
  const send = async (emails: string[]): Promise<void> => {
    setBusy(true);
    clear();
    try {
      const key = { orgId, deviceId: alert.deviceId, id: alert.id };
      await api().shareAlert(key, emails);
      notify({ tone: 'success', title: 'Alert successfully shared. Links to alert details have been sent.' });
      onShared();
      if (isShown()) onClose();
    } catch (error) {
      fail({ tone: 'danger', title: FAILED, reason: failedChange(error).reason });
      setBusy(false);
    }
  };
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    setAddresses(addresses.map((address) => ({ ...address, touched: true })));
    if (addresses.every((address) => errorOf(address.value) === undefined))
      void send(typed.map((value) => value.trim()));
  };
  return (
    <Modal title="Share alert" onClose={onClose}>
      <form className="stack" noValidate onSubmit={submit}>
        <p className="muted">
          Each address gets a link to a read-only page of this alert. The link ends after{' '}
          {LIMITS.shareDaysDefault} days.
        </p>
        <FailureNotice failure={failure} />
        {alert.shareExpiresAt !== undefined && (
          <Shared
            alert={alert}
            end={alert.shareExpiresAt}
            busy={busy}
            onRenew={(emails) => void send(emails)}
          />
        )}
        <Addresses addresses={addresses} onChange={setAddresses} />
        <ModalFoot icon="share" busy={busy}>
          Share
        </ModalFoot>
      </form>
    </Modal>
  );
}

interface SharedProps {
  alert: Alert;
  end: string;
  busy: boolean;
  onRenew: (emails: string[]) => void;
}

/** Shows the existing link. Renewing shares the alert again with its newest addresses, as many as one call takes. */
function Shared({ alert, end, busy, onRenew }: SharedProps) {
  const emails = alert.sharedData.slice(-LIMITS.shareAddresses).map((share) => share.emailAddress);
  const others = alert.sharedData.length - emails.length;
  const people = others === 0 ? emails.join(', ') : `${emails.join(', ')} and ${plural(others, 'other')}`;
  return (
    <div className="field-row">
      <p className="grow">
        {`Shared with ${people}. The link ${hasEnded(alert) ? 'ended' : 'ends'} on `}
        <Deadline at={end} />.{others > 0 && ` The new end is mailed to these ${emails.length} only.`}
      </p>
      <Button icon="reset" busy={busy} onClick={() => onRenew(emails)}>
        Renew
      </Button>
    </div>
  );
}

function Addresses(props: { addresses: Address[]; onChange: (addresses: Address[]) => void }) {
  const { addresses, onChange } = props;
  const change = (index: number, part: Partial<Address>): void =>
    onChange(addresses.map((address, i) => (i === index ? { ...address, ...part } : address)));
  const add = (): void =>
    onChange([...addresses, { key: (addresses.at(-1)?.key ?? 0) + 1, value: '', touched: false }]);
  const inside = useFocusInside<HTMLDivElement>();
  return (
    <div className="stack stack-tight" {...inside}>
      {addresses.map((address, index) => (
        <div key={address.key} className="field-row">
          <TextInput
            label={`E-mail ${index + 1}`}
            type="email"
            autoFocus
            value={address.value}
            error={address.touched ? errorOf(address.value) : undefined}
            onChange={(event) => change(index, { value: event.target.value, touched: true })}
            onBlur={() => change(index, { touched: true })}
          />
          {addresses.length > 1 && (
            <IconButton
              icon="trash"
              label={`Remove e-mail ${index + 1}`}
              onClick={() => onChange(addresses.filter((_, i) => i !== index))}
            />
          )}
        </div>
      ))}
      {addresses.length < LIMITS.shareAddresses && (
        <button type="button" className="text-button" onClick={add}>
          Add another e-mail +
        </button>
      )}
    </div>
  );
}
