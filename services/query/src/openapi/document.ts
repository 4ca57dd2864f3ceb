/**
 * Builds the OpenAPI 3.1 document of every route below /api/v1, from the routes' own schemas, and of the published log.
 */
import fastifySwagger from '@fastify/swagger';
import { ERRORS, ProblemSchema, VIEWS_HEADERS, ViewsWordSchema, keysOf } from '@sentinel-node/contracts';
import type { Access, App } from '@sentinel-node/platform';
import { isForPeople } from '../http/caller.ts';
import { agentOperations } from './agent-operations.ts';
import { EXAMPLE } from './examples.ts';
import { LEDGER_PATHS } from './ledger-paths.ts';
import { LOG_PATHS } from './log-paths.ts';
import type { DescribedMessage, Operation, Operations } from './operation.ts';
import { problemExample, refusalsOf } from './problems.ts';

export const API_PREFIX = '/api/v1';
const PROBLEM_TYPE = 'application/problem+json';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Extensions of an operation: the access that the route declares, and whether it is for people alone. */
const ACCESS = 'x-access';
const FOR_PEOPLE = 'x-for-people';

/** The parts of an OpenAPI document that this file completes. */
interface MediaType {
  schema: object;
  example?: unknown;
}
interface DescribedAnswer {
  description: string;
  content?: Record<string, MediaType>;
  headers?: Record<string, object>;
}
interface Parameter {
  name: string;
  in: string;
  example?: unknown;
}
export interface DescribedCall {
  [ACCESS]: Access;
  [FOR_PEOPLE]?: boolean;
  summary?: string;
  description?: string;
  operationId?: string;
  tags?: string[];
  /** The server of a call that is not below /api/v1. */
  servers?: { readonly url: string; readonly description: string }[];
  security?: Record<string, readonly string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType>; required?: boolean };
  responses: Record<string, DescribedAnswer>;
}
type Messages = Readonly<Record<string, DescribedMessage>>;
export interface Document {
  paths: Record<string, Record<string, DescribedCall>>;
  webhooks?: Record<string, object>;
  components: Record<string, Record<string, object>>;
}

/** Call before any route is registered; `app.swagger()` returns the document once the app is ready. */
export async function registerOpenApi(
  app: App,
  version: string,
  operations: Operations,
  messages: Messages,
): Promise<void> {
  await app.register(fastifySwagger, {
    convertConstToEnum: false,
    stripBasePath: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Sentinel Node',
        version,
        description:
          'File-integrity monitoring whose history a third party can check. Errors are problem details (RFC 9457) with a stable `code`; what belongs to another organization is unknown (404). Reads come from views that follow the log: `Sentinel-Views` and `Sentinel-Views-As-Of` say how old they are.',
      },
      servers: [{ url: API_PREFIX }],
      components: { securitySchemes: SECURITY_SCHEMES },
    },
    transform: ({ schema, url, route }) => {
      const hide = !url.startsWith(`${API_PREFIX}/`);
      const { access = 'public', takesServiceTokens } = route.config ?? {};
      const kind = { [ACCESS]: access, [FOR_PEOPLE]: isForPeople(access, takesServiceTokens) };
      return {
        schema: { ...schema, hide: hide || schema?.hide === true, ...kind },
        url: url.slice(API_PREFIX.length),
      };
    },
    transformObject: (given) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the plugin's own document, typed as what it is completed to
      const document = ('openapiObject' in given ? given.openapiObject : {}) as unknown as Document;
      return completed(document, operations, messages);
    },
  });
}

const SECURITY_SCHEMES = {
  accessToken: {
    type: 'apiKey',
    in: 'header',
    name: 'x-access-token',
    description: 'The `token` of GET /login; 12 hours',
  },
  xsrfToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-XSRF-TOKEN',
    description: 'The cookie XSRF-TOKEN, sent back with every call that is no GET',
  },
  serviceToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A service token, for programs; without XSRF token. Those for reading only may call GET only, and those that are limited to devices only what can be limited to them',
  },
  deviceKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The key of one device' },
} as const;

function completed(document: Document, operations: Operations, messages: Messages): Document {
  document.components['schemas'] = { ...document.components['schemas'], Problem: plain(ProblemSchema) };
  document.components['examples'] = Object.fromEntries(
    keysOf(ERRORS).map((code) => [code, { summary: ERRORS[code].title, value: problemExample(code) }]),
  );
  for (const [path, calls] of Object.entries(document.paths))
    for (const [method, call] of Object.entries(calls)) complete(call, path, method, operations);
  const webhooks = Object.fromEntries(
    Object.entries(messages).map(([name, message]) => [name, { post: described(message) }]),
  );
  return { ...document, paths: { ...document.paths, ...LOG_PATHS, ...LEDGER_PATHS }, webhooks };
}

function described({ summary, contentType, schema, example, headers }: DescribedMessage): object {
  return {
    summary,
    tags: ['Webhooks'],
    parameters: Object.entries(headers).map(([name, description]) => ({
      ...{ name, in: 'header', required: true, description },
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { [contentType]: { schema: plain(schema), example } } },
    responses: {
      '2XX': { description: 'The notice was taken' },
      410: { description: 'Send nothing more: the webhook is disabled' },
      default: { description: 'The notice is sent again, for three days; `Retry-After` is followed' },
    },
  };
}

function complete(call: DescribedCall, path: string, method: string, operations: Operations): void {
  const name = `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
  const operation = operations[name];
  if (operation === undefined) return;
  call.operationId = operationId(method, path);
  call.summary = operation.summary;
  if (operation.description !== undefined) call.description = operation.description;
  call.security = securityOf(call, method);
  completeParameters(call, operation);
  completeBody(call, operation);
  completeAnswer(call, operation, !(name in agentOperations));
  addRefusals(call, operation, method);
}

/** Returns `putDevicesByOrgIdById` for `put /devices/{orgId}/{id}`. */
function operationId(method: string, path: string): string {
  const words = path.split('/').filter((word) => word !== '');
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  return (
    method +
    words
      .map((word) => capital(word.replace(/^\{(\w+)\}$/, (_, name: string) => `By${capital(name)}`)))
      .join('')
  );
}

function securityOf(call: DescribedCall, method: string): Record<string, readonly string[]>[] {
  const access = call[ACCESS];
  if (access === 'public') return [];
  if (access === 'deviceKey') return [{ deviceKey: [] }];
  const person = method === 'get' ? { accessToken: [] } : { accessToken: [], xsrfToken: [] };
  if (call[FOR_PEOPLE] === true) return [person];
  const member = [person, { serviceToken: [] }];
  return access === 'deviceKeyOrMember' ? [{ deviceKey: [] }, ...member] : member;
}

function completeParameters(call: DescribedCall, { params = {}, query = {}, ifMatch }: Operation): void {
  const examples: Readonly<Record<string, unknown>> = { ...EXAMPLE, ...params, ...query };
  for (const parameter of call.parameters ?? []) {
    const example = parameter.in === 'path' ? examples[parameter.name] : query[parameter.name];
    if (example !== undefined) parameter.example = example;
  }
  if (ifMatch !== true) return;
  const parameter = { name: 'If-Match', in: 'header', required: false, schema: { type: 'string' } };
  const description = 'The `ETag` of a read: a change since then is 409 `STALE`';
  call.parameters = [...(call.parameters ?? []), { ...parameter, description } as Parameter];
}

function completeBody(call: DescribedCall, { body }: Operation): void {
  const content = call.requestBody?.content;
  if (content === undefined) return;
  const [type, media] = Object.entries(content)[0]!;
  const { properties = {} } = media.schema as { properties?: object };
  if (Object.keys(properties).length === 0) {
    delete call.requestBody;
    return;
  }
  if (type !== JSON_TYPE && type !== FORM_TYPE)
    media.schema = {
      type: 'string',
      contentMediaType: type,
      description: 'One object a line',
      'x-line': media.schema,
    };
  if (body !== undefined) media.example = body;
  call.requestBody!.required = true;
}

/** @param isOfQuery whether the query service answers, not ingestion */
function completeAnswer(
  call: DescribedCall,
  { answer, etag, csv, produces }: Operation,
  isOfQuery: boolean,
): void {
  const [status, given] = Object.entries(call.responses).find(([code]) => code.startsWith('2'))!;
  given.description = status === '204' ? 'Done' : 'The answer';
  if (produces !== undefined) given.content = { [produces]: { schema: { type: 'string' }, example: answer } };
  else if (answer !== undefined && given.content?.[JSON_TYPE] !== undefined)
    given.content[JSON_TYPE].example = answer;
  if (csv !== undefined)
    given.content = { ...given.content, 'text/csv': { schema: { type: 'string' }, example: csv } };
  if (isOfQuery) given.headers = { ...VIEWS_TOLD };
  if (etag === true) given.headers = { ...given.headers, ETag: TAG };
}

const TAG = { schema: { type: 'string' }, description: 'Names this state, for `If-Match`' };
const VIEWS_TOLD = {
  [VIEWS_HEADERS.state]: {
    schema: plain(ViewsWordSchema.properties.state),
    description: 'Whether the views that reads come from have what the log took',
  },
  [VIEWS_HEADERS.asOf]: {
    schema: { type: 'string', format: 'date-time' },
    description: 'Everything that the log took until then is in the answer; left out while nothing is known',
  },
};

function addRefusals(call: DescribedCall, operation: Operation, method: string): void {
  const places = (call.parameters ?? []).map((parameter) => parameter.in);
  const kind = {
    access: call[ACCESS],
    isSafe: method === 'get',
    hasParams: places.includes('path'),
    hasQuery: places.includes('query'),
  };
  for (const [status, codes] of refusalsOf(kind, operation)) {
    const examples = Object.fromEntries(
      codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
    );
    const media = { schema: { $ref: '#/components/schemas/Problem' }, examples };
    call.responses[status] = {
      description: codes.join(', '),
      content: { [PROBLEM_TYPE]: media },
      ...(status === 429 || status === 503 ? { headers: { 'Retry-After': RETRY_AFTER } } : {}),
    };
  }
}

const RETRY_AFTER = { schema: { type: 'integer' }, description: 'seconds' };

/** Returns the schema without the symbols that typebox keeps in it. */
function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema));
}
