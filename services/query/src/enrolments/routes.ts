import {
  CreatedEnrolmentSchema,
  CreateEnrolmentSchema,
  EmptySchema,
  EnrolledSchema,
  EnrolmentSchema,
  EnrolmentsSchema,
  EnrolSchema,
} from '@sentinel-node/contracts';
import { requestSchema, type App } from '@sentinel-node/platform';
import type { DeviceContext } from '../devices/index.ts';
import { actorOf } from '../http/caller.ts';
import { orgItemParams, orgParams } from '../http/params.ts';
import { endEnrolment, makeEnrolment } from './commands.ts';
import { Enrolling } from './enrolling.ts';
import { readEnrolments } from './read-enrolments.ts';
import { EnrolmentUses } from './uses.ts';

const tags = ['Enrolment'];

export function enrolmentRoutes(app: App, context: DeviceContext): void {
  const uses = new EnrolmentUses(context.store, context.clock);
  const enrolling = new Enrolling(context, uses);

  app.get('/enrolments/:orgId', {
    config: { access: 'admin' },
    schema: { tags, params: orgParams, response: { 200: EnrolmentsSchema } },
    handler: async ({ params }) => readEnrolments(context, uses, params.orgId),
  });

  app.post('/enrolments/:orgId', {
    config: { access: 'admin' },
    schema: {
      tags,
      params: orgParams,
      body: requestSchema(CreateEnrolmentSchema, EnrolmentSchema),
      response: { 201: CreatedEnrolmentSchema },
    },
    handler: async (request, reply) => {
      const { params, body } = request;
      return reply.code(201).send(await makeEnrolment(context, params.orgId, actorOf(request), body));
    },
  });

  app.delete('/enrolments/:orgId/:id', {
    config: { access: 'admin' },
    schema: {
      tags,
      params: orgItemParams,
      body: requestSchema(EmptySchema, EnrolmentSchema),
      response: { 200: EmptySchema },
    },
    handler: async (request) => {
      const { orgId, id } = request.params;
      await endEnrolment(context, orgId, actorOf(request), id);
      return {};
    },
  });

  app.post('/enrol', {
    config: { access: 'public' },
    schema: { tags, body: EnrolSchema, response: { 201: EnrolledSchema } },
    handler: async ({ body, ip }, reply) => reply.code(201).send(await enrolling.enrol(body, ip)),
  });
}
