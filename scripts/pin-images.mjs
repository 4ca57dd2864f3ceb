#!/usr/bin/env node
// Asks the registry for the digest of every foreign image that this repository names, and writes the digest after the tag.
//   node scripts/pin-images.mjs [--check] [--registry URL] [--folder FOLDER]
// --check writes nothing and ends with 1 when a digest is missing or differs. --registry: a mirror instead of Docker Hub.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/prepare.mjs';

/** Files that name foreign images; the manifests of Kubernetes name only images that are built here. */
export const FILES = [
  'docker-compose.yml',
  'deploy/docker/Dockerfile',
  'deploy/agent/Dockerfile',
  '.env.example',
];
const DOCKER_HUB = 'https://registry-1.docker.io';
const ANSWER_TIMEOUT_MS = 30_000;
/** Lists for all processors come first, because an image for one kind of processor runs on no other. */
const ACCEPTED = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');
/** `NAME_IMAGE=repository:tag@digest`, or the same after the `:-` of a variable of compose. */
const REFERENCE =
  /([A-Z]+_IMAGE(?:=|:-))([a-z0-9]+(?:[./_-][a-z0-9]+)*):([A-Za-z0-9_][A-Za-z0-9_.-]*)(@sha256:[0-9a-f]{64})?/g;

/** Returns the images of a text: `repository:tag` with its digest, or undefined. */
export function imagesIn(text) {
  return [...text.matchAll(REFERENCE)].map(([, , repository, tag, digest]) => ({
    image: `${repository}:${tag}`,
    digest: digest?.slice(1),
  }));
}

/** Returns the text with the digests of `found` (by `repository:tag`) after the tags. */
export function withDigests(text, found) {
  return text.replaceAll(
    REFERENCE,
    (_, name, repository, tag) => `${name}${repository}:${tag}@${found.get(`${repository}:${tag}`)}`,
  );
}

/** Returns the digest of an image, computed from the registry's answer. @throws Error when the stated digest differs */
export async function digestOf(image, registry) {
  const [repository, tag] = image.split(':');
  // Docker Hub keeps its official images under `library/`.
  const path = repository.includes('/') ? repository : `library/${repository}`;
  const url = `${registry}/v2/${path}/manifests/${tag}`;
  let answer = await get(url);
  if (answer.status === 401) {
    const token = await tokenFor(answer.headers.get('www-authenticate') ?? '', path);
    answer = await get(url, { authorization: `Bearer ${token}` });
  }
  if (!answer.ok) throw new Error(`${image}: ${url} answers ${answer.status}`);
  const digest = `sha256:${createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex')}`;
  const said = answer.headers.get('docker-content-digest');
  if (said !== null && said !== digest)
    throw new Error(`${image}: the registry says ${said}, its answer has ${digest}`);
  return digest;
}

/** Gets a token (https://distribution.github.io/distribution/spec/auth/token/). */
async function tokenFor(challenge, path) {
  const fields = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  if (fields.realm === undefined) throw new Error(`the registry asks for credentials: ${challenge}`);
  const url = new URL(fields.realm);
  if (fields.service !== undefined) url.searchParams.set('service', fields.service);
  url.searchParams.set('scope', fields.scope ?? `repository:${path}:pull`);
  const answer = await get(url);
  if (!answer.ok) throw new Error(`${url.origin} gives no token: ${answer.status}`);
  const { token, access_token: other } = await answer.json();
  return token ?? other;
}

async function get(url, headers = {}) {
  try {
    return await fetch(url, {
      headers: { accept: ACCEPTED, ...headers },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
  } catch (error) {
    throw new Error(`${url} cannot be reached: ${error.cause?.message ?? error.message}`, { cause: error });
  }
}

/** Writes nothing unless every image was found. @returns the lines to print and the exit code */
export async function pinImages({ folder, registry, check }) {
  const texts = new Map(FILES.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const named = [...texts.values()].flatMap(imagesIn);
  const found = new Map();
  for (const image of new Set(named.map((one) => one.image)))
    found.set(image, await digestOf(image, registry));
  const lines = [...found].map(([image, digest]) => `${image}@${digest}`);
  const wrong = named.filter(({ image, digest }) => digest !== found.get(image));
  if (check)
    return {
      code: wrong.length === 0 ? 0 : 1,
      lines:
        wrong.length === 0 ? lines : wrong.map(({ image, digest = 'no digest' }) => `${image}: ${digest}`),
    };
  for (const [name, text] of texts) writeFileSync(join(folder, name), withDigests(text, found));
  return { code: 0, lines };
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean', default: false },
      registry: { type: 'string', default: DOCKER_HUB },
      folder: { type: 'string', default: root },
    },
  });
  try {
    const { code, lines } = await pinImages({ ...values, registry: values.registry.replace(/\/+$/, '') });
    process.stdout.write(`${lines.join('\n')}\n`);
    process.exitCode = code;
  } catch (error) {
    process.stderr.write(`pin-images: ${error.message}\n`);
    process.exitCode = 1;
  }
}
