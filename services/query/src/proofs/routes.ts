import { BundleQuerySchema, BundleSchema, KeptReceiptSchema, ProofSchema } from '@sentinel-node/contracts';
import { addressKey, type App } from '@sentinel-node/platform';
import { memberOf } from '../http/caller.ts';
import { fileParams, itemParams, linkParams } from '../http/params.ts';
import { bundleOf } from './bundle-of.ts';
import { Bundling } from './bundling.ts';
import { type ProofContext, proofOfEntry, proofOfReceipt, proofOfSharedAlert } from './proof-of.ts';

export function proofRoutes(app: App, proofs: ProofContext): void {
  app.get('/proofs/:orgId/:deviceId/:fileId/:linkId', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: { tags: ['Proofs'], params: linkParams, response: { 200: ProofSchema } },
    handler: async (request) => {
      const { params } = request;
      return proofOfEntry(proofs, params, params.linkId, memberOf(request).userId);
    },
  });

  const bundling = new Bundling();
  app.get('/proofs/:orgId/:deviceId/:fileId', {
    config: { access: 'member', deviceLimit: 'deviceId' },
    schema: {
      tags: ['Proofs'],
      params: fileParams,
      querystring: BundleQuerySchema,
      response: { 200: BundleSchema },
    },
    handler: async (request) => {
      const { params, query } = request;
      const caller = { orgId: params.orgId, member: memberOf(request).userId };
      return bundling.run(caller, () => bundleOf(proofs, params, query, caller.member));
    },
  });

  app.get('/alerts/link/shared/proof/:id', {
    config: { access: 'public' },
    schema: { tags: ['Proofs'], params: itemParams, response: { 200: ProofSchema } },
    handler: async ({ params, ip }, reply) => {
      void reply.headers({
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
      });
      return proofOfSharedAlert(proofs, params.id, addressKey(ip));
    },
  });

  app.post('/proofs/receipt', {
    config: { access: 'public' },
    schema: { tags: ['Proofs'], body: KeptReceiptSchema, response: { 200: ProofSchema } },
    handler: async ({ body, ip }) => proofOfReceipt(proofs, body, addressKey(ip)),
  });
}
