import {
  CreatedServiceTokenSchema,
  EmptySchema,
  ServiceTokensSchema,
  type CreateServiceToken,
} from '@sentinel-node/contracts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export const serviceTokenCalls = (http: Http) => ({
  getServiceTokens: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getServiceTokens',
      path: '/service-tokens/{orgId}',
      params: { orgId },
      answer: ServiceTokensSchema,
      ...(signal && { signal }),
    }),
  addServiceToken: (orgId: Id, body: CreateServiceToken) =>
    http.call({
      name: 'addServiceToken',
      method: 'POST',
      path: '/service-tokens/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: CreatedServiceTokenSchema,
    }),
  endServiceToken: (orgId: Id, id: Id) =>
    http.call({
      name: 'endServiceToken',
      method: 'DELETE',
      path: '/service-tokens/{orgId}/{id}',
      params: { orgId, id },
      answer: EmptySchema,
    }),
});
