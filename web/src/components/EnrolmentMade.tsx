import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { Notice } from '../ui/Notice.tsx';

/** The form, which had the focus, is gone. */
const focusOn = (section: HTMLElement | null): void => section?.focus();

/** A token that was just made, as the command to run and by itself. */
export function EnrolmentMade({ token }: { token: string }) {
  const command = `sentinel agent enrol --server ${window.location.origin} --token ${token}`;
  return (
    <section className="card form" aria-label="The token" tabIndex={-1} ref={focusOn}>
      <Notice tone="warning" title="The token is shown only now.">
        Copy it before you leave this page. Whoever has it can make devices of your organisation until it
        ends.
      </Notice>
      <DescriptionList
        items={[
          ['Command for each machine', <Hash full value={command} label="command" />],
          ['Token', <Hash full value={token} label="token" />],
        ]}
      />
      <footer className="form-foot">
        <ButtonLink to={paths.enrolments} tone="primary">
          Done
        </ButtonLink>
      </footer>
    </section>
  );
}
