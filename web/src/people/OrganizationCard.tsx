import type { Organization } from '@sentinel-node/contracts';
import { messageOf } from '../errors.ts';
import { required } from '../forms/rules.ts';
import { useForm } from '../forms/use-form.ts';
import { api } from '../state/api.ts';
import type { Resource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { TextInput } from '../ui/Field.tsx';
import { Hash } from '../ui/Hash.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

interface OrganizationCardProps {
  orgId: string;
  organization: Resource<Organization>;
  isAdmin: boolean;
}

export function OrganizationCard({ orgId, organization, isAdmin }: OrganizationCardProps) {
  const { data } = organization;
  if (organization.loading) {
    return (
      <section className="card">
        <Skeleton lines={3} label="Loading the organization" />
      </section>
    );
  }
  if (data === undefined) {
    return (
      <Card title="Organization">
        <ErrorState
          title="The organization cannot be shown"
          message={messageOf(organization.error)}
          onRetry={organization.reload}
        />
      </Card>
    );
  }
  const items: [string, React.ReactNode][] = [
    ['Organization name', data.name],
    ['Organization ID', <Hash value={orgId} label="organization id" full />],
  ];
  const stripeId = data.stripeId ?? null;
  if (isAdmin && stripeId !== null) items.push(['Stripe ID', <span className="mono">{stripeId}</span>]);
  return (
    <Card title="Organization">
      <DescriptionList items={items} />
      {isAdmin && stripeId === null && <StripeForm orgId={orgId} onSaved={organization.reload} />}
    </Card>
  );
}

const stripeErrors = ({ stripeId }: { stripeId: string }) => ({
  stripeId: required(stripeId, 'Stripe ID field cannot be empty'),
});

function StripeForm({ orgId, onSaved }: { orgId: string; onSaved: () => void }) {
  const form = useForm({ stripeId: '' }, stripeErrors, 'stripe id');
  const save = (stripeId: string): void => {
    // A failed update has no message (section 8 of the specification): the form stays.
    api()
      .updateOrganization(orgId, stripeId.trim())
      .then(onSaved, () => undefined);
  };
  return (
    <form className="inline-form" noValidate onSubmit={form.submit(({ stripeId }) => save(stripeId))}>
      <TextInput label="Stripe ID" mono maxLength={200} {...form.text('stripeId')} />
      <Button type="submit">Add Stripe ID</Button>
    </form>
  );
}
