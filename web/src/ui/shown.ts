import { visible } from '@sentinel-node/contracts';
import { cloneElement, isValidElement, type ReactNode } from 'react';

/** Returns a text, or an element, with each text in it `visible`; what its components show stays theirs. */
export function shown(node: ReactNode): ReactNode {
  if (typeof node === 'string') return visible(node);
  if (!isValidElement<{ children?: ReactNode }>(node)) return node;
  const { children } = node.props;
  const all: readonly ReactNode[] = Array.isArray(children) ? children : [children];
  const next = all.map(shown);
  return next.every((one, at) => one === all[at]) ? node : cloneElement(node, undefined, ...next);
}
