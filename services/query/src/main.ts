import { runServiceAlone } from '@sentinel-node/platform';
import { configurationForMembers } from './devices/index.ts';
import { createQuery } from './service.ts';

/** The console comes from the web server in front, which routes by path. */
runServiceAlone('query', {
  create: (shared, http) => {
    const query = createQuery(shared);
    http.onStopping(query.endStreams);
    return [query, configurationForMembers(shared, query.memberAuth)];
  },
});
