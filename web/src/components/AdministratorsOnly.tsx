import { useEffect } from 'react';
import { Redirect } from 'wouter';
import { notify } from '../state/notices.ts';

/**
 * Leads a person who is not an administrator from a page of administrators to another page, and says why.
 * @param instead path of the other page
 */
export function AdministratorsOnly({ instead }: { instead: string }) {
  useEffect(
    () =>
      notify({
        tone: 'warning',
        title: 'Only administrators can open that page.',
        text: 'Ask an administrator of your organization for what you need.',
      }),
    [],
  );
  return <Redirect to={instead} replace />;
}
