/** Checks that tests of entities share. */
import type { Test } from 'tap';
import type { FileHistory } from './chain-records.ts';
import { createScene, type Scene } from './scene.ts';
import { createWorld, NO_LIMITS, type Answer, type World } from './world.ts';

export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const members = (value: object): string => Object.keys(value).sort().join(' ');
export const sorted = (names: string): string => names.split(' ').sort().join(' ');

/** Checks that the answer refuses this member. */
export function refuses(t: Test, answer: Answer, path: string, message: RegExp = /./): void {
  t.equal(answer.status, 422, path);
  const found = (answer.body.errors as { path: string; message: string }[]).filter(
    (one) => one.path === path,
  );
  t.ok(
    found.some((one) => message.test(one.message)),
    `${path}: ${JSON.stringify(answer.body.errors)}`,
  );
}

export async function start(t: Test): Promise<{ world: World; scene: Scene }> {
  const world = await createWorld(t, NO_LIMITS);
  return { world, scene: await createScene(world, new Map<string, FileHistory>()) };
}
