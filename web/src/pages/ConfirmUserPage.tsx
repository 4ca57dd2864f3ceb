import { useEffect } from 'react';
import { useParams } from 'wouter';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { refreshSession } from '../state/restore.ts';
import { LoginPage } from './LoginPage.tsx';

const CONFIRMED = 'OK';
/** Links tried by this page: a link works once, and an effect may run twice. */
const tried = new Set<string>();

async function confirm(id: string): Promise<void> {
  const answer = await api()
    .confirmUser(id)
    .catch(() => null);
  if (answer !== CONFIRMED) return notify({ tone: 'danger', title: 'Incorrect activation code!' });
  notify({ tone: 'success', title: 'Your account has been activated!' });
  await refreshSession();
}

export function ConfirmUserPage() {
  const { id } = useParams<{ id: string }>();
  useEffect(() => {
    if (tried.has(id)) return;
    tried.add(id);
    void confirm(id);
  }, [id]);
  return <LoginPage />;
}
