// Module hooks of the warm runner. Modules of the copy are loaded once for each generation; other modules only once.
let copy = '';
let recorder = '';

export function initialize(data) {
  ({ copy, recorder } = data);
}

export async function resolve(specifier, context, next) {
  const parent = context.parentURL ?? '';
  if (!parent.startsWith(copy)) return next(specifier, context);
  if (specifier === 'tap') return { url: recorder, shortCircuit: true };
  const resolved = await next(specifier, context);
  const generation = new URL(parent).searchParams.get('generation');
  if (!resolved.url.startsWith(copy) || generation === null) return resolved;
  return { ...resolved, url: `${resolved.url}?generation=${generation}` };
}
