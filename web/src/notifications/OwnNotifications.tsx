import type { NotificationSetting } from '@sentinel-node/contracts';
import { useMemo, useState } from 'react';
import { isCode, mayBeDone } from '../api/errors.ts';
import { tagOf } from '../api/http.ts';
import { saveOver } from '../api/save-over.ts';
import { failureNotice, messageOf, type FailureTitles } from '../errors.ts';
import { isSaved } from '../forms/same-content.ts';
import { useForm } from '../forms/use-form.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { useResource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { Checkbox } from '../ui/Checkbox.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';
import { ChangedMeanwhile } from '../components/ChangedMeanwhile.tsx';
import { quietErrors, quietFields, quietValues, type QuietValues } from './notification-rule-values.ts';
import { QuietHoursFields } from './QuietHoursFields.tsx';

/** Settings for mails to the signed-in person. */
export function OwnNotifications({ orgId }: { orgId: string }) {
  const setting = useResource<NotificationSetting>({
    key: `own notifications ${orgId}`,
    load: (signal) => api().getOwnNotifications(orgId, signal),
    apply: (data) => data,
  });
  return (
    <Card title="Your mails">
      {setting.loading && <Skeleton lines={3} label="Loading your setting" />}
      {setting.data === undefined && setting.error !== null && (
        <ErrorState
          title="Your setting cannot be shown"
          message={messageOf(setting.error)}
          onRetry={setting.reload}
        />
      )}
      {setting.data !== undefined && <OwnForm orgId={orgId} read={setting.data} />}
    </Card>
  );
}

interface OwnValues extends QuietValues {
  mails: boolean;
}

const valuesOf = (setting: NotificationSetting): OwnValues => ({
  ...quietValues(setting),
  mails: setting.mails,
});

/** @param read the setting as it was first read: it is saved only over the state that the form began with */
function OwnForm({ orgId, read }: { orgId: string; read: NotificationSetting }) {
  const [setting, setSetting] = useState(read);
  const initial = useMemo(() => valuesOf(setting), [setting]);
  const form = useForm<OwnValues>(initial, quietErrors, 'own notifications');
  if (form.base !== initial) form.rebase(initial);
  const saving = useCalls();
  // A call of its own: its outcome says nothing about whether the setting was saved.
  const testing = useCalls();
  const busy = saving.state === 'busy' || testing.state === 'busy';
  const readAgain = () => api().getOwnNotifications(orgId);
  const submit = form.submit((values) => {
    const body = { mails: values.mails, ...quietFields(values) };
    void saving.run('Your setting was saved.', notSaved, () =>
      saveOver(
        async () => setSetting(await api().updateOwnNotifications(orgId, body, tagOf(setting))),
        async () => {
          const now = await readAgain();
          if (!isSaved(body, now)) return false;
          setSetting(now);
          return true;
        },
      ),
    );
  });
  const load = async (): Promise<void> => {
    setSetting(await readAgain());
    saving.settle();
  };
  const test = (): void =>
    void testing.run('A test mail is on its way.', notSent, () => api().sendTestNotification(orgId));
  return (
    <form className="form card-form" noValidate onSubmit={submit}>
      <Checkbox
        label="Send me mails"
        hint="Mails of rules that are required come in any case."
        checked={form.values.mails}
        onChange={(mails) => form.set('mails', mails)}
      />
      <QuietHoursFields form={form} />
      {saving.state === 'stale' && <ChangedMeanwhile what="setting" isLost={saving.isLost} load={load} />}
      <footer className="form-foot">
        <Button busy={busy} onClick={test}>
          Send me a test
        </Button>
        <Button tone="primary" type="submit" busy={busy}>
          Save
        </Button>
      </footer>
    </form>
  );
}

const notSaved = {
  refused: 'Your setting was not saved.',
  unknown: 'It is not known whether your setting was saved.',
};
const notSent = {
  refused: 'No test mail was sent.',
  unknown: 'It is not known whether a test mail was sent.',
};

function useCalls() {
  const isShown = useIsShown();
  const [state, setState] = useState<'idle' | 'busy' | 'stale'>('idle');
  const [isLost, setLost] = useState(false);
  const settle = (): void => {
    setLost(false);
    setState('idle');
  };
  const run = async (done: string, failed: FailureTitles, work: () => Promise<unknown>): Promise<void> => {
    setState('busy');
    try {
      await work();
      settle();
      notify({ tone: 'success', title: done });
    } catch (error) {
      if (isCode(error, 'STALE') && isShown()) return setState('stale');
      if (mayBeDone(error)) setLost(true);
      // A refusal before stands: what was changed meanwhile is still not loaded.
      setState(state);
      notify(failureNotice(error, failed));
    }
  };
  return { state, isLost, settle, run };
}
