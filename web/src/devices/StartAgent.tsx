import type { Device } from '../answers.ts';
import { useState } from 'react';
import { Link } from 'wouter';
import { plural } from '../format.ts';
import { paths } from '../paths.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Icon } from '../ui/Icon.tsx';
import { Notice } from '../ui/Notice.tsx';
import { downloadConfiguration, startCommand } from './download-configuration.ts';
import '../styles/device-start.css';

/** Lists the steps to start an agent on a device without a contact yet; ticks them off as the agent answers. */
export function StartAgent({ orgId, device }: { orgId: string; device: Device }) {
  const [began] = useState(() => device.lastContact === null);
  const [closed, setClosed] = useState(false);
  const [downloaded, setDownloaded] = useState(false);
  if (!began || closed || !device.enabled) return null;
  const heard = device.lastContact !== null;
  const monitored = device.files.filter(({ enabled }) => enabled);
  const reported = monitored.filter(({ lastContact }) => lastContact !== null).length;
  if (heard && reported === monitored.length) {
    // It was in contact, and is not any more: the page's warning says so.
    if (device.status !== 'ACTIVE' || device.keyRefusedAt !== undefined) return null;
    return (
      <Notice tone="success" title="The agent is in contact" onClose={() => setClosed(true)}>
        {monitored.length === 0
          ? 'It has nothing to look at yet: add files.'
          : `The first reports of ${plural(monitored.length, 'file')} have arrived.`}
      </Notice>
    );
  }
  const download = async (): Promise<void> => setDownloaded(await downloadConfiguration(orgId, device));
  return (
    <Card title="Start the agent">
      <ol className="start-steps">
        <Step done={monitored.length > 0} title="Say which files it looks at">
          {monitored.length === 0 ? (
            <Link href={paths.addFiles(device.id)} className="inline-link">
              Add the first files
            </Link>
          ) : (
            plural(monitored.length, 'monitored file')
          )}
        </Step>
        <Step done={heard || downloaded} title="Download the configuration, and bring it to the device">
          <Button small icon="download" onClick={() => void download()}>
            Download
          </Button>{' '}
          <span className="muted">It holds the key of the device: keep it secret.</span>
        </Step>
        <Step done={heard} title="Start the agent with it on this device">
          <Hash full value={startCommand(device)} label="command" />
          <p className="muted">
            Installed from a package it runs as a service: put the file into /etc/sentinel-agent/agents.d and
            run <span className="mono">systemctl enable --now sentinel-agent</span>
          </p>
        </Step>
        <Step done={false} title={heard ? 'The agent has called' : 'Waiting for the first contact'}>
          <span role="status">
            {heard
              ? `${reported} of ${plural(monitored.length, 'file')} have reported.`
              : 'This page shows it as soon as the agent calls.'}
          </span>
        </Step>
      </ol>
    </Card>
  );
}

interface StepProps {
  done: boolean;
  title: string;
  children: React.ReactNode;
}

function Step({ done, title, children }: StepProps) {
  return (
    <li data-done={done || undefined}>
      <span className="start-mark">{done && <Icon name="check" size={14} label="Done" />}</span>
      <div className="start-step">
        <strong>{title}</strong>
        <div>{children}</div>
      </div>
    </li>
  );
}
