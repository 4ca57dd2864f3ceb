import { cloneElement, isValidElement, type ReactNode } from 'react';

/** Signs that turn the order of what follows. */
export const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns a text with every sign that turns the order of what follows in the spelling that the agent's log has, such as `\u202e`. Names
 * and paths are whatever somebody called a file: `web-\u202egnp.exe` would look like `web-exe.png`, and turn the words after it around.
 * Right-to-left texts do not need these signs.
 */
export const visible = (text: string): string =>
  text.replace(TURNING, (sign) => `\\u${sign.charCodeAt(0).toString(16)}`);

/** Returns a text, or an element with nothing but a text in it, with the text `visible`; anything else as it is. */
export function shown(node: ReactNode): ReactNode {
  if (typeof node === 'string') return visible(node);
  if (!isValidElement<{ children?: ReactNode }>(node)) return node;
  const { children } = node.props;
  const next = shown(children);
  return next === children ? node : cloneElement(node, undefined, next);
}
