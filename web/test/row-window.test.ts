/** Which rows of a long table are shown, at any height of rows and place of the screen. */
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { assumedHeight, roomOf, spanOf, renderedSpans } from '../src/ui/row-window.ts';

const SEED = 52;
const heightsOf = fc.array(fc.option(fc.integer({ min: 20, max: 200 }), { nil: undefined }), {
  maxLength: 400,
});

t.test('every row that is on the screen is in the window, and few others are', (t) => {
  const place = fc.record({
    heights: heightsOf,
    count: fc.integer({ min: 1, max: 2_000 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    height: fc.integer({ min: 200, max: 2_000 }),
  });
  fc.assert(
    fc.property(place, ({ heights, count, share, height }) => {
      const guess = assumedHeight(heights);
      const all = roomOf({ heights, guess }, { from: 0, to: count });
      const top = Math.floor(share * all);
      const { from, to } = spanOf({ heights, guess, count, top, height });
      const above = roomOf({ heights, guess }, { from: 0, to: from });
      const below = roomOf({ heights, guess }, { from: to, to: count });
      const isCovered = above <= top && (all - below >= top + height || to === count);
      return isCovered && from < to && to - from <= height / 20 + 50;
    }),
    { seed: SEED },
  );
  t.end();
});

t.test('above the table the first rows are shown, below it the last', (t) => {
  const rows = { heights: [], guess: 40, count: 1_000, height: 800 };
  t.same(spanOf({ ...rows, top: -5_000 }), { from: 0, to: 16 });
  t.match(spanOf({ ...rows, top: 100_000 }), { to: 1_000 });
  t.end();
});

t.test('a window stays while it reaches a little beyond the screen', (t) => {
  const place = { heights: [], guess: 40, count: 1_000, height: 800, top: 4_000 };
  const held = spanOf(place);
  t.equal(spanOf({ ...place, top: 4_200 }, held), held);
  const next = spanOf({ ...place, top: 4_600 }, held);
  t.not(next, held);
  t.ok(next.to > held.to);
  t.not(spanOf({ ...place, count: 50, top: 0 }, held), held, 'of rows that are gone nothing stays');
  t.end();
});

t.test('a row with the focus stays, wherever the window is', (t) => {
  const window = { from: 80, to: 120 };
  t.same(renderedSpans(window, -1), [window]);
  t.same(renderedSpans(window, 90), [window]);
  t.same(renderedSpans(window, 79), [{ from: 79, to: 80 }, window]);
  t.same(renderedSpans(window, 120), [window, { from: 120, to: 121 }]);
  t.end();
});
