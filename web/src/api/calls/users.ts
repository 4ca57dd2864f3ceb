import {
  CreatedSchema,
  EmptySchema,
  UserSchema,
  UsersSchema,
  type CreateUser,
} from '@sentinel-node/contracts';
import type { UpdateUser } from '../../answers.ts';
import type { Http } from '../http.ts';
import { readEach, readUser } from '../spellings.ts';

type Id = string | null | undefined;

export const userCalls = (http: Http) => ({
  getUsers: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getUsers',
      path: '/users/{orgId}',
      params: { orgId },
      answer: UsersSchema,
      read: readEach('users', readUser),
      ...(signal && { signal }),
    }),
  getUser: (orgId: Id, id: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getUser',
      path: '/users/{orgId}/{id}',
      params: { orgId, id },
      answer: UserSchema,
      read: readUser,
      ...(signal && { signal }),
    }),
  addUser: (orgId: Id, body: CreateUser) =>
    http.call({
      name: 'addUser',
      method: 'POST',
      path: '/users/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: CreatedSchema,
    }),
  updateUser: (orgId: Id, id: Id, body: UpdateUser, ifMatch?: string) =>
    http.call({
      name: 'updateUser',
      method: 'PUT',
      path: '/users/{orgId}/{id}',
      params: { orgId, id },
      body,
      bodyName: 'body',
      ifMatch,
      answer: UserSchema,
      read: readUser,
    }),
  deleteUser: (orgId: Id, id: Id) =>
    http.call({
      name: 'deleteUser',
      method: 'DELETE',
      path: '/users/{orgId}/{id}',
      params: { orgId, id },
      answer: EmptySchema,
    }),
  resendActivationLink: (orgId: Id, id: Id) =>
    http.call({
      name: 'resendActivationLink',
      method: 'POST',
      path: '/users/resend/activationlink/{orgId}/{id}',
      params: { orgId, id },
      answer: EmptySchema,
    }),
});
