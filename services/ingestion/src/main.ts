import { runServiceAlone } from '@sentinel-node/platform';
import { createIngestion } from './service.ts';

runServiceAlone('ingestion', { create: (shared) => [createIngestion(shared)] });
