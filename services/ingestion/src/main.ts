import { runServiceAlone } from '@sentinel-node/platform';
import { createIngestion } from './service.ts';

runServiceAlone('ingestion', (shared) => [createIngestion(shared)]);
