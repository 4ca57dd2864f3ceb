import { CreatedEnrolmentSchema, EmptySchema, EnrolmentsSchema } from '@sentinel-node/contracts';
import type { CreateEnrolment } from '../../answers.ts';
import type { Http } from '../http.ts';

type Id = string | null | undefined;

export const enrolmentCalls = (http: Http) => ({
  getEnrolments: (orgId: Id, signal?: AbortSignal) =>
    http.call({
      name: 'getEnrolments',
      path: '/enrolments/{orgId}',
      params: { orgId },
      answer: EnrolmentsSchema,
      ...(signal && { signal }),
    }),
  addEnrolment: (orgId: Id, body: CreateEnrolment) =>
    http.call({
      name: 'addEnrolment',
      method: 'POST',
      path: '/enrolments/{orgId}',
      params: { orgId },
      body,
      bodyName: 'body',
      answer: CreatedEnrolmentSchema,
    }),
  endEnrolment: (orgId: Id, id: Id) =>
    http.call({
      name: 'endEnrolment',
      method: 'DELETE',
      path: '/enrolments/{orgId}/{id}',
      params: { orgId, id },
      answer: EmptySchema,
    }),
});
