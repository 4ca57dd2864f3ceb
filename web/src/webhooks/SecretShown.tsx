import type { ReactNode } from 'react';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { focusOn } from '../ui/focus-on.ts';
import { Hash } from '../ui/Hash.tsx';
import { Notice } from '../ui/Notice.tsx';

/** Shows a new webhook's secret. */
export function SecretShown({ secret, text, foot }: { secret: string; text: string; foot: ReactNode }) {
  return (
    <section className="card form" aria-label="The secret" tabIndex={-1} ref={focusOn}>
      <Notice tone="warning" title="The secret is shown only now.">
        {`Copy it before you leave this page. ${text}`}
      </Notice>
      <DescriptionList items={[['Secret', <Hash full value={secret} label="secret" />]]} />
      <footer className="form-foot">{foot}</footer>
    </section>
  );
}
