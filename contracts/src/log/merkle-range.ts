/** Inclusion proof of consecutive leaves of an RFC 6962 tree, with each neighbouring node only once. */
import { nodeHash, pathPlaces } from './merkle.ts';

const HASH_BYTES = 32;

/**
 * Returns height and place in its level of each node beside leaves `first` to `last` that is needed, with these leaves,
 * for the root of a tree of `size` leaves: the lowest level first, left before right, at most two a level.
 */
export function nodesBeside(size: number, first: number, last: number): [height: number, at: number][] {
  const found: [number, number][] = [];
  for (let [width, left, right, height] = [size, first, last, 0]; width > 1; height++) {
    if (left % 2 === 1) found.push([height, left - 1]);
    if (right % 2 === 0 && right + 1 < width) found.push([height, right + 1]);
    [width, left, right] = [Math.ceil(width / 2), Math.floor(left / 2), Math.floor(right / 2)];
  }
  return found;
}

/**
 * Returns the inclusion path of each leaf hash, the first at place `first`, from the nodes of `nodesBeside`; undefined
 * when the number of nodes differs. All arguments may be hostile. Does not compare the paths with a root.
 */
export function pathsOfRange(
  leaves: readonly Uint8Array[],
  first: number,
  size: number,
  nodes: readonly Uint8Array[],
): Uint8Array[][] | undefined {
  const last = first + leaves.length - 1;
  if (!Number.isSafeInteger(size) || !Number.isSafeInteger(last) || first < 0 || last < first || last >= size)
    return undefined;
  const places = nodesBeside(size, first, last);
  if (places.length !== nodes.length || nodes.some(({ length }) => length !== HASH_BYTES)) return undefined;
  const levels = levelsAround(
    leaves,
    first,
    size,
    new Map(places.map((place, i) => [place.join(), nodes[i]!])),
  );
  return leaves.map((_, i) =>
    pathPlaces(size, first + i).map(([height, at]) => levels[height]!.nodes.get(at)!),
  );
}

interface Level {
  /** The known nodes, by their place. */
  readonly nodes: ReadonlyMap<number, Uint8Array>;
}

function levelsAround(
  leaves: readonly Uint8Array[],
  first: number,
  size: number,
  beside: ReadonlyMap<string, Uint8Array>,
): Level[] {
  const levels: Level[] = [];
  let nodes = new Map(leaves.map((leaf, i) => [first + i, leaf]));
  for (let width = size; width > 1; width = Math.ceil(width / 2)) {
    const places = [...nodes.keys()];
    for (const at of [places[0]! - 1, places.at(-1)! + 1]) {
      const node = beside.get([levels.length, at].join());
      if (node !== undefined) nodes.set(at, node);
    }
    levels.push({ nodes });
    nodes = parentsOf(nodes, places);
  }
  return levels;
}

/** @param places rising places of the nodes whose parents to compute */
function parentsOf(
  nodes: ReadonlyMap<number, Uint8Array>,
  places: readonly number[],
): Map<number, Uint8Array> {
  const above = new Map<number, Uint8Array>();
  for (const at of places) {
    const parent = Math.floor(at / 2);
    if (above.has(parent)) continue;
    const [left, right] = [nodes.get(2 * parent)!, nodes.get(2 * parent + 1)];
    // A node without a sibling is carried up unchanged.
    above.set(parent, right === undefined ? left : nodeHash(left, right));
  }
  return above;
}
