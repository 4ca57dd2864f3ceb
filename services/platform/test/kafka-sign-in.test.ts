/** Tests client certificates and OAuth tokens with a real broker that requires them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import t from 'tap';
import type { Test } from 'tap';
import { createTopics, openKafkaEventLog } from '../src/kafka/index.ts';
import type { KafkaConnection, KafkaSasl } from '../src/kafka/index.ts';
import { freePorts, startOwnKafka } from '@sentinel-node/test-kit/test-servers';
import { skipWithoutOpenssl } from '@sentinel-node/test-kit/test-servers/certificate';
import { record, readAll, topic, until } from './kafka-harness.ts';

t.setTimeout(900_000);

const folder = mkdtempSync(join(tmpdir(), 'kafka-sign-in-'));
t.teardown(() => rmSync(folder, { recursive: true }));
const file = (name: string) => join(folder, name);
const text = (name: string) => readFileSync(file(name), 'utf8');
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });

/** Creates an authority; returns a function that signs pairs. */
function authority(name: string): (subject: string, pair: string) => void {
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
  openssl(...request, '-keyout', `${name}.key`, '-out', `${name}.pem`);
  return (subject, pair) => {
    openssl(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-subj',
      subject,
      '-keyout',
      `${pair}.key`,
      '-out',
      `${pair}.csr`,
    );
    writeFileSync(file('names.txt'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
    const signed = ['x509', '-req', '-in', `${pair}.csr`, '-CA', `${name}.pem`, '-CAkey', `${name}.key`];
    openssl(...signed, '-CAcreateserial', '-days', '2', '-extfile', 'names.txt', '-out', `${pair}.pem`);
  };
}
const [tls = 0, oauth = 0] = await freePorts(2);

/** Starts a broker with certificates of its own. @returns undefined after a skipped subtest with the reason */
async function startKafka() {
  if (skipWithoutOpenssl !== false)
    return void (await t.test('openssl', { skip: skipWithoutOpenssl }, () => undefined));
  const sign = authority('house');
  sign('/CN=broker', 'broker');
  sign('/O=Example/CN=sentinel', 'client');
  authority('stranger')('/CN=sentinel', 'foreign');
  return startOwnKafka(t, {
    listeners: {
      CERTIFICATES: { protocol: 'SSL', port: tls },
      TOKENS: { protocol: 'SASL_PLAINTEXT', port: oauth },
    },
    settings: {
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.key': text('broker.key'),
      'ssl.keystore.certificate.chain': text('broker.pem'),
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.certificates': text('house.pem'),
      'listener.name.certificates.ssl.client.auth': 'required',
      'listener.name.tokens.sasl.enabled.mechanisms': 'OAUTHBEARER',
      'listener.name.tokens.oauthbearer.sasl.jaas.config':
        'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";',
      'listener.name.tokens.oauthbearer.connections.max.reauth.ms': '16000',
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS;User:sentinel-client',
    },
  });
}
const kafka = await startKafka();

/** Starts a token endpoint with unsecured tokens, which Kafka accepts for tests, and keeps its requests. */
async function tokenEndpoint(t: Test, seconds: number, subject = 'sentinel-client') {
  const asked: { authorization: string | undefined; body: string }[] = [];
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      asked.push({ authorization: request.headers.authorization, body });
      const known = request.headers.authorization === `Basic ${btoa('sentinel%3Aid:se+cret')}`;
      response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
      const now = Date.now() / 1_000;
      const claims = { sub: subject, iat: now, exp: now + seconds, scope: 'kafka' };
      response.end(
        JSON.stringify(
          known
            ? {
                access_token: `${part({ alg: 'none' })}.${part(claims)}.`,
                token_type: 'Bearer',
                expires_in: seconds,
              }
            : { error: 'invalid_client' },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`, asked };
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

if (kafka !== undefined) {
  const { brokers } = kafka;
  const limits = { readTimeoutMs: 4_000 };
  const made = async () => {
    const spec = topic(2);
    await createTopics({ brokers: [brokers] }, [spec], { replicationFactor: 1 });
    return spec;
  };
  const works = async (t: Test, connection: KafkaConnection, ownThread = false) => {
    const spec = await made();
    const log = await openKafkaEventLog({ ...connection, topics: [spec], ownThread });
    t.teardown(() => log.close());
    await log.append(spec.name, [record('one'), record('two')]);
    t.strictSame((await readAll(log, spec)).map(({ id }) => id).sort(), ['one', 'two']);
    return { log, spec };
  };
  const byCertificate = (files: object): KafkaConnection => ({
    brokers: [`127.0.0.1:${tls}`],
    tls: { caFile: file('house.pem'), ...files },
  });
  const client = { certFile: file('client.pem'), keyFile: file('client.key') };

  t.test(
    'a client certificate signs in, and its subject is the user that rights are granted to',
    async (t) => {
      const spec = await made();
      await t.rejects(openKafkaEventLog({ ...byCertificate(client), topics: [spec], limits }), {
        code: 'LOG_ACCESS_DENIED',
        message: /--allow-principal "User:CN=sentinel,O=Example" --operation Describe/,
      });
      const admin = new kafkajs.Kafka({ brokers: [brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
      await admin.connect();
      t.teardown(() => admin.disconnect());
      await admin.createAcls({
        acl: [
          {
            principal: 'User:CN=sentinel,O=Example',
            host: '*',
            operation: kafkajs.AclOperationTypes.ALL,
            permissionType: kafkajs.AclPermissionTypes.ALLOW,
            resourceType: kafkajs.AclResourceTypes.TOPIC,
            resourceName: 'test.',
            resourcePatternType: kafkajs.ResourcePatternTypes.PREFIXED,
          },
        ],
      });
      // The broker applies the right a while after it has answered.
      await until('the right applies', () =>
        openKafkaEventLog({ ...byCertificate(client), topics: [spec], limits }).then(
          (log) => log.close().then(() => true),
          (error: { code?: string }) => {
            if (error.code !== 'LOG_ACCESS_DENIED') throw error as Error;
            return false;
          },
        ),
      );
      await works(t, byCertificate(client));
      await works(t, byCertificate(client), true);
    },
  );

  t.test('without a certificate, or with one of another authority, there is no log', async (t) => {
    const spec = await made();
    const open = (files: object) => openKafkaEventLog({ ...byCertificate(files), topics: [spec], limits });
    const said = {
      code: 'LOG_UNAVAILABLE',
      message: /does not take the certificate of this client, .*SENTINEL_KAFKA_TLS_CERT/,
    };
    await t.rejects(open({}), said);
    await t.rejects(open({ certFile: file('foreign.pem'), keyFile: file('foreign.key') }), said);
    await t.rejects(open({ ...client, caFile: file('stranger.pem') }), {
      code: 'LOG_UNAVAILABLE',
      message: /certificate of the broker .*SENTINEL_KAFKA_TLS_CA/,
    });
  });

  t.test('files that cannot be used are said at once', async (t) => {
    const open = (files: object) => openKafkaEventLog({ ...byCertificate(files), topics: [] });
    await t.rejects(async () => open({ ...client, keyFile: file('foreign.key') }), {
      message: /SENTINEL_KAFKA_TLS_KEY: is not the key of the certificate/,
    });
    await t.rejects(async () => open({ ...client, certFile: file('client.key') }), {
      message: /SENTINEL_KAFKA_TLS_CERT: the file holds no certificate/,
    });
    await t.rejects(async () => open({ ...client, certFile: file('none.pem') }), { code: 'ENOENT' });
  });

  const byToken = (tokenUrl: string, more: Partial<KafkaSasl> = {}): KafkaConnection => ({
    brokers: [`127.0.0.1:${oauth}`],
    sasl: {
      mechanism: 'oauthbearer',
      username: 'sentinel:id',
      password: 'se cret',
      tokenUrl,
      scope: 'kafka',
      ...more,
    } as KafkaSasl,
  });

  t.test(
    'a token signs in every connection of a process, and is asked for anew before its end',
    async (t) => {
      const long = await tokenEndpoint(t, 600);
      await works(t, byToken(long.url));
      t.equal(long.asked.length, 1);
      t.equal(long.asked[0]!.body, 'grant_type=client_credentials&scope=kafka');
      await works(t, byToken(long.url), true);
      const short = await tokenEndpoint(t, 20);
      const { log, spec } = await works(t, byToken(short.url));
      await until('tokens were asked for again', async () => {
        await log.append(spec.name, [record('more')]);
        return short.asked.length >= 2;
      });
      t.ok((await readAll(log, spec)).length > 2, 'read with a later token');
    },
  );

  t.test('who refuses, and why, is said', async (t) => {
    const spec = await made();
    const endpoint = await tokenEndpoint(t, 600);
    const open = (connection: KafkaConnection) =>
      openKafkaEventLog({ ...connection, topics: [spec], limits });
    await t.rejects(open(byToken(endpoint.url, { password: 'wrong' })), {
      code: 'LOG_SIGN_IN_REFUSED',
      message:
        /token endpoint http:\S+ refuses the client sentinel:id: 401 .*invalid_client.*SENTINEL_KAFKA_PASSWORD/,
    });
    const ended = await tokenEndpoint(t, -60);
    await t.rejects(open(byToken(ended.url)), {
      code: 'LOG_UNAVAILABLE',
      message: /answers without a usable access_token/,
    });
    const [nobody = 0] = await freePorts(1);
    await t.rejects(open(byToken(`http://127.0.0.1:${nobody}/token`)), {
      code: 'LOG_UNAVAILABLE',
      message: /the token endpoint http:\S+ does not answer: .*ECONNREFUSED/,
    });
    const old = await tokenEndpoint(t, 0.001);
    await t.rejects(open(byToken(old.url)), {
      code: 'LOG_SIGN_IN_REFUSED',
      message: /^the broker refuses the token: .*invalid_token/,
    });
  });
}
