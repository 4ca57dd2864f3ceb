import { useAtomValue } from 'jotai';
import { api } from '../state/api.ts';
import { isAdminAtom, userAtom } from '../state/session.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';

export interface Person {
  id: string;
  email: string;
}

/**
 * Returns the people to whom the signed-in person may assign an alert: everybody active for an ADMIN, else only
 * themselves.
 */
export function usePeople(orgId: string): {
  people: Person[];
  error: unknown;
  /** Whether the others are still being read. */
  loading: boolean;
  reload: () => void;
} {
  const isAdmin = useAtomValue(isAdminAtom);
  const user = useAtomValue(userAtom);
  const me = user === null ? [] : [{ id: user.userId, email: user.email }];
  const users = useResource<Person[]>({
    key: isAdmin ? `people ${orgId}` : null,
    load: async (signal) => {
      const answer = await api().getUsers(orgId, signal);
      return answer.users
        .filter(({ active }) => active)
        .map(({ id, emailAddress }) => ({ id, email: emailAddress }));
    },
    apply: (people, item) => (item.kind === 'user' ? RELOAD : people),
  });
  const { data, error, loading, reload } = users;
  return { people: isAdmin ? (data ?? me) : me, error, loading: isAdmin && loading, reload };
}
