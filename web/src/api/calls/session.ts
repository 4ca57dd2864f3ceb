import {
  CreatedSchema,
  EmptySchema,
  LoginResultSchema,
  OrganizationSchema,
  SessionSchema,
  type CreateOrganization,
} from '@sentinel-node/contracts';
import { Type } from 'typebox';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export const sessionCalls = (http: Http) => ({
  login: (accessToken: string, signal?: AbortSignal) =>
    http.call({
      name: 'login',
      path: '/login',
      query: { access_token: accessToken },
      answer: LoginResultSchema,
      ...(signal && { signal }),
    }),
  getSession: (signal?: AbortSignal) =>
    http.call({ name: 'getSession', path: '/session', answer: SessionSchema, ...(signal && { signal }) }),
  /** Returns the session of a token that is not the present one. */
  getSessionOf: (token: string) =>
    http.call({ name: 'getSession', path: '/session', answer: SessionSchema, token }),
  logout: () =>
    http.call({ name: 'logout', method: 'POST', path: '/logout', endsSession: true, answer: EmptySchema }),
  confirmUser: (activateId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'confirmUser',
      method: 'PUT',
      path: '/users/confirm/link/{activateId}',
      params: { activateId },
      answer: Type.String(),
      ...(signal && { signal }),
    }),
  createOrganization: (body: CreateOrganization) =>
    http.call({
      name: 'createOrganization',
      method: 'POST',
      path: '/orgs',
      body,
      bodyName: 'body',
      answer: CreatedSchema,
    }),
  getOrganization: (id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getOrganization',
      path: '/orgs/{id}',
      params: { id },
      answer: OrganizationSchema,
      ...(signal && { signal }),
    }),
  updateOrganization: (id: Id, stripeId: string) =>
    http.call({
      name: 'updateOrganization',
      method: 'PUT',
      path: '/orgs/{id}',
      params: { id },
      body: { stripeId },
      bodyName: 'stripeId',
      answer: OrganizationSchema,
    }),
});
