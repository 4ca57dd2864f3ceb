/** Reads a proof so that there is one way to understand it: no repeated or unknown members, no other spelling of a value. */
import { Check } from 'typebox/value';
import { PROOF_LIMITS, ProofSchema, type Proof } from './proof.ts';

export type UnreadableProof = 'TOO_LARGE' | 'NOT_JSON' | 'AMBIGUOUS_JSON' | 'UNKNOWN_FORM';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const BLANKS = new Set(' \t\r\n');
const OPENING = new Set('{[');
const CLOSING = new Set('}]');

/**
 * The proof, or why it is none. Blanks between tokens are free; all else must be spelled as `JSON.stringify` spells it
 * (RFC 8259 lets a repeated member mean either value, and readers differ).
 * @param document UTF-8
 */
export function readProof(document: Uint8Array): Proof | UnreadableProof {
  if (document.length > PROOF_LIMITS.documentBytes) return 'TOO_LARGE';
  let packed: string | undefined;
  let value: unknown;
  try {
    packed = withoutBlanks(decoder.decode(document));
    if (packed === undefined) return 'UNKNOWN_FORM';
    value = JSON.parse(packed);
  } catch {
    return 'NOT_JSON';
  }
  if (JSON.stringify(value) !== packed) return 'AMBIGUOUS_JSON';
  return Check(ProofSchema, value) ? value : 'UNKNOWN_FORM';
}

/** undefined when objects and lists stand deeper in one another than a proof has them. One pass, whatever the text is. */
function withoutBlanks(text: string): string | undefined {
  const kept: string[] = [];
  let from = 0;
  let depth = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') isInText = !isInText;
    else if (isInText) at += character === '\\' ? 1 : 0;
    else if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth -= 1;
    else if (BLANKS.has(character)) {
      kept.push(text.slice(from, at));
      from = at + 1;
    }
    if (depth > PROOF_LIMITS.nesting) return undefined;
  }
  return kept.join('') + text.slice(from);
}
