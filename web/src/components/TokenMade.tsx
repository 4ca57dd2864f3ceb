import { ButtonLink } from '../ui/Button.tsx';
import { DescriptionList, type Description } from '../ui/DescriptionList.tsx';
import { focusOn } from '../ui/focus-on.ts';
import { Hash } from '../ui/Hash.tsx';
import { Notice } from '../ui/Notice.tsx';

interface TokenMadeProps {
  token: string;
  /** A command that uses the token. */
  command: { readonly label: string; readonly value: string };
  /** Tells what the token allows its holder. */
  warning: string;
  more?: Description[];
  done: string;
}

/** Shows a new token, in a command and alone. */
export function TokenMade({ token, command, warning, more = [], done }: TokenMadeProps) {
  return (
    <section className="card form" aria-label="The token" tabIndex={-1} ref={focusOn}>
      <Notice tone="warning" title="The token is shown only now.">
        {`Copy it before you leave this page. ${warning}`}
      </Notice>
      <DescriptionList
        items={[
          [command.label, <Hash full value={command.value} label="command" />],
          ['Token', <Hash full value={token} label="token" />],
          ...more,
        ]}
      />
      <footer className="form-foot">
        <ButtonLink to={done} tone="primary">
          Done
        </ButtonLink>
      </footer>
    </section>
  );
}
