import { AlertSchema, type HandledStatus } from '@sentinel-node/contracts';
import type { Alert } from '../answers.ts';
import { useEffect, useState } from 'react';
import { alertInformationOf, alertName, wordFor } from '../format.ts';
import { api } from '../state/api.ts';
import { withoutDeleted } from './assignee.ts';
import { liveObject } from '../state/live-object.ts';
import { enterAlert } from '../state/open-alert.ts';
import { useMissing } from '../state/use-missing.ts';
import { RELOAD, useResource, type Resource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Notice } from '../ui/Notice.tsx';
import { AlertFacts } from './AlertFacts.tsx';
import { AlertHistory } from './AlertHistory.tsx';
import { AssignAlert } from './AssignAlert.tsx';
import { AlertStatus } from '../components/AlertStatus.tsx';
import { useTitle } from '../ui/use-title.ts';
import { AttributeChanges } from './AttributeChanges.tsx';
import { EndSharing } from './EndSharing.tsx';
import { LinkChain } from '../chain/LinkChain.tsx';
import { PanelLoading } from '../components/PanelLoading.tsx';
import { Report } from './Report.tsx';
import { ShareAlertModal } from './ShareAlertModal.tsx';
import { TurnOffAlert } from './TurnOffAlert.tsx';
import { Panel } from '../components/Panel.tsx';

interface AlertPanelProps {
  orgId: string;
  id: string;
  deviceId: string;
  /** The list's version of the alert; the open panel reads it again and follows its changes. */
  listed: Alert | undefined;
  onClose: () => void;
  onChanged: (alert: Alert) => void;
}

type Asked = HandledStatus | 'SHARE' | 'END_SHARING' | 'ASSIGN' | null;

/** Shows the alert that the URL names. */
export function AlertPanel({ orgId, id, deviceId, listed, onClose, onChanged }: AlertPanelProps) {
  const resource = useResource<Alert>({
    key: id,
    load: (signal) => api().getAlert({ orgId, deviceId, id }, signal),
    apply: (alert, item) => {
      // Read again for the transaction: no frame of the alert itself contains it.
      if (item.kind === 'anchor' && alert.bsvTransactionID === null) return RELOAD;
      const fresh = item.kind === 'alert' ? liveObject(AlertSchema, item) : null;
      if (fresh?.id === alert.id) return fresh;
      return withoutDeleted([alert], item)[0] ?? alert;
    },
  });
  const missing = useMissing(resource, 'The newest state of the alert');
  useEffect(() => enterAlert(id), [id]);
  const alert = resource.data ?? listed;
  if (alert === undefined) return <PanelLoading what="alert" resource={resource} onClose={onClose} />;
  return <AlertDetails {...{ orgId, alert, resource, missing, onClose, onChanged }} />;
}

interface AlertDetailsProps extends Pick<AlertPanelProps, 'orgId' | 'onClose' | 'onChanged'> {
  alert: Alert;
  resource: Resource<Alert>;
  /** Why what is shown is the list's version. */
  missing: string | undefined;
}

function AlertDetails({ orgId, alert, resource, missing, onClose, onChanged }: AlertDetailsProps) {
  const [asked, setAsked] = useState<Asked>(null);
  useTitle(`${wordFor(alertName, alert.type)} on ${alert.fileName}`);
  const changed = (fresh: Alert): void => {
    resource.update(() => fresh);
    onChanged(fresh);
  };
  return (
    <Panel
      title={wordFor(alertName, alert.type)}
      over={<AlertStatus status={alert.status} />}
      onClose={onClose}
      footer={alert.status === 'ACTIVE' && <Actions onAsk={setAsked} />}
    >
      {missing !== undefined && (
        <Notice tone="warning" title="Shown as the list has it">
          {missing}
        </Notice>
      )}
      <p className="alert-information">
        <Icon name="info" size={17} />
        {alertInformationOf(alert.type)}
      </p>
      <AlertFacts
        alert={alert}
        onAssign={() => setAsked('ASSIGN')}
        onEndSharing={() => setAsked('END_SHARING')}
      />
      {alert.attributeChanges !== undefined && <AttributeChanges changes={alert.attributeChanges} />}
      <Report report={alert.eventRequest} />
      <AlertHistory orgId={orgId} alert={alert} />
      <section aria-labelledby="alert-chain">
        <h3 id="alert-chain">Link chain</h3>
        <LinkChain orgId={orgId} deviceId={alert.deviceId} fileId={alert.fileId} hashId={alert.hashId} />
      </section>
      {asked === 'ASSIGN' && (
        <AssignAlert orgId={orgId} alert={alert} onClose={() => setAsked(null)} onDone={resource.reload} />
      )}
      {asked === 'END_SHARING' && (
        <EndSharing orgId={orgId} alert={alert} onClose={() => setAsked(null)} onEnded={resource.reload} />
      )}
      {asked === 'SHARE' && (
        <ShareAlertModal
          orgId={orgId}
          alert={alert}
          onClose={() => setAsked(null)}
          onShared={resource.reload}
        />
      )}
      {(asked === 'RESOLVED' || asked === 'DEACTIVATED') && (
        <TurnOffAlert
          orgId={orgId}
          alert={alert}
          status={asked}
          onClose={() => setAsked(null)}
          onDone={changed}
          onStale={resource.reload}
        />
      )}
    </Panel>
  );
}

function Actions({ onAsk }: { onAsk: (asked: Asked) => void }) {
  return (
    <>
      <Button icon="share" shortcut="share" onClick={() => onAsk('SHARE')}>
        Share
      </Button>
      <div className="grow" />
      <Button icon="reset" shortcut="reset" onClick={() => onAsk('DEACTIVATED')}>
        Reset
      </Button>
      <Button tone="primary" icon="check" shortcut="dismiss" onClick={() => onAsk('RESOLVED')}>
        Dismiss
      </Button>
    </>
  );
}
