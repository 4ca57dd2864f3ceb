import { runServiceAlone } from '@sentinel-node/platform';
import { configurationForMembers } from './devices/index.ts';
import { createQuery } from './service.ts';

/** Runs the query service alone, without the console: the web server in front serves the console and routes by path. */
runServiceAlone('query', {
  create: (shared, http) => {
    const query = createQuery(shared);
    http.onStopping(query.endStreams);
    return [query, configurationForMembers(shared, query.memberAuth)];
  },
});
