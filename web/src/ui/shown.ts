import { visible } from '@sentinel-node/contracts';
import { cloneElement, isValidElement, type ReactNode } from 'react';

/** Returns a text, or an element with nothing but a text in it, with the text `visible`; anything else as it is. */
export function shown(node: ReactNode): ReactNode {
  if (typeof node === 'string') return visible(node);
  if (!isValidElement<{ children?: ReactNode }>(node)) return node;
  const { children } = node.props;
  const next = shown(children);
  return next === children ? node : cloneElement(node, undefined, next);
}
