import {
  CreatedSchema,
  EmptySchema,
  ExpectedListsSchema,
  ExpectedSchema,
  type CreateExpected,
} from '@sentinel-node/contracts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export const expectedCalls = (http: Http) => ({
  getExpectedLists: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getExpectedLists',
      path: '/expected/{orgId}',
      params: { orgId },
      answer: ExpectedListsSchema,
      ...(signal && { signal }),
    }),
  getExpected: (orgId: Id, id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getExpected',
      path: '/expected/{orgId}/{id}',
      params: { orgId, id },
      answer: ExpectedSchema,
      ...(signal && { signal }),
    }),
  addExpected: (orgId: Id, body: CreateExpected) =>
    http.call({
      name: 'addExpected',
      method: 'POST',
      path: '/expected/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: CreatedSchema,
    }),
  endExpected: (orgId: Id, id: Id) =>
    http.call({
      name: 'endExpected',
      method: 'DELETE',
      path: '/expected/{orgId}/{id}',
      params: { orgId, id },
      answer: EmptySchema,
    }),
});
