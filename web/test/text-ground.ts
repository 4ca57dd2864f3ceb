/** What a text stands on, where axe does not say: read from what the browser computed. */
import type { Page } from 'playwright-core';
import { contrast, TEXT_CONTRAST, type Colour } from './contrast.ts';

interface Ground {
  /** As CSS prints it, like the layers. */
  text: string;
  /** Backgrounds of the text's element and its ancestors, the nearest first, up to the first that lets nothing through. */
  layers: string[];
  /** Why the layers do not tell what lies behind the text. */
  trouble: string | null;
}

/** Returns why the text of an element cannot be read well, or null when it can. */
export async function faultOfText(page: Page, selector: string): Promise<string | null> {
  const { text, layers, trouble } = await page.evaluate(groundOf, selector);
  if (trouble !== null) return trouble;
  const behind = layers.map(parts).reduceRight(over, BLACK);
  const found = contrast(over(behind, parts(text)), behind);
  return found >= TEXT_CONTRAST ? null : `contrast ${found.toFixed(2)} of ${text} on ${layers.join(' on ')}`;
}

interface Layer {
  colour: Colour;
  alpha: number;
}

/** Is covered by the first layer. */
const BLACK: Colour = [0, 0, 0];

/** @param colour as a browser prints it: `rgb(…)`, `rgba(…)`, or of a mixed one `color(srgb …)`, with parts from 0 to 1 */
function parts(colour: string): Layer {
  const [, mixed, numbers] = /^(?:rgba?\(|(color\(srgb ))([\d.,/ ]+)\)$/.exec(colour) ?? [];
  if (numbers === undefined) throw new Error(`no colour of red, green and blue: ${colour}`);
  const [red = 0, green = 0, blue = 0, alpha = 1] = numbers.split(/[,/ ]+/).map(Number);
  const whole = mixed === undefined ? 1 : 255;
  return { colour: [red * whole, green * whole, blue * whole], alpha };
}

function over([red, green, blue]: Colour, { colour: [r, g, b], alpha }: Layer): Colour {
  const mixed = (below: number, above: number): number => above * alpha + below * (1 - alpha);
  return [mixed(red, r), mixed(green, g), mixed(blue, b)];
}

/** Runs in the page. The text is brought into view: a browser says what lies at a point only there. */
function groundOf(selector: string): Ground {
  const element = document.querySelector(selector);
  if (element === null) throw new Error(`nothing is at ${selector}`);
  const ancestors: Element[] = [];
  for (let one: Element | null = element; one !== null; one = one.parentElement) ancestors.push(one);
  const styles = ancestors.map((one) => getComputedStyle(one));
  const depth = styles.findIndex(({ backgroundColor }) => /^(rgb\(|color\([^/]*$)/.test(backgroundColor));
  const within = ancestors.slice(0, depth + 1);
  const scrolled = ancestors.map((one) => [one, one.scrollLeft, one.scrollTop] as const);
  element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const trouble = troubleOf();
  for (const [one, left, top] of scrolled) one.scrollTo({ left, top, behavior: 'instant' });
  const { color = '', fill = '' } = styles[0] ?? {};
  return {
    text: element instanceof SVGElement ? fill : color,
    layers: styles
      .slice(0, depth + 1)
      .map(({ backgroundColor }) => backgroundColor)
      .filter((layer) => layer !== 'rgba(0, 0, 0, 0)'),
    trouble,
  };

  function troubleOf(): string | null {
    const ground = ancestors[depth];
    if (ground === undefined) return 'no ground lets nothing through';
    if (styles.some(({ opacity }) => opacity !== '1')) return 'it lets something through';
    if (styles.slice(0, depth + 1).some(({ backgroundImage }) => backgroundImage !== 'none'))
      return 'a picture is behind it';
    const seen = lines()
      .map(clipped)
      .filter(({ width, height }) => width >= 1 && height >= 1);
    if (seen.length === 0) return 'nothing of it is to be seen';
    return seen.every((line) => isOn(line, ground)) ? null : 'something is between it and its ground';
  }

  /** Lines of the element's own text; without text, of the field. */
  function lines(): DOMRect[] {
    const range = document.createRange();
    const texts = [...(element?.childNodes ?? [])].filter(
      ({ nodeType, textContent }) => nodeType === Node.TEXT_NODE && textContent?.trim() !== '',
    );
    const found = texts.flatMap((one) => {
      range.selectNodeContents(one);
      return [...range.getClientRects()];
    });
    return found.length > 0 ? found : ancestors.slice(0, 1).map((one) => one.getBoundingClientRect());
  }

  /** What an edge between the text and its ground leaves of a line, and of that what is in the window. */
  function clipped(line: DOMRect): DOMRect {
    const edges = within
      .filter((_, at) => styles[at]?.overflow !== 'visible')
      .map((one) => one.getBoundingClientRect());
    return [...edges, new DOMRect(0, 0, innerWidth, innerHeight)].reduce((rest, edge) => {
      const [left, top] = [Math.max(rest.left, edge.left), Math.max(rest.top, edge.top)];
      const [right, bottom] = [Math.min(rest.right, edge.right), Math.min(rest.bottom, edge.bottom)];
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top));
    }, line);
  }

  /** From the text down to its ground there are only elements that it is a part of. What covers it is no matter. */
  function isOn({ left, right, top, bottom }: DOMRect, ground: Element): boolean {
    return [left + 1, (left + right) / 2, right - 1].every((x) => {
      const stack = document.elementsFromPoint(x, (top + bottom) / 2);
      const from = stack.findIndex((one) => within.includes(one));
      return (
        stack.slice(from, stack.indexOf(ground) + 1).every((one) => within.includes(one)) &&
        stack.includes(ground)
      );
    });
  }
}
