/** The look at a text's ground that decides in place of axe finds what it must find. */
import { consoleTest } from './support.ts';
import { faultOfText } from './text-ground.ts';

const box = (style: string, content: string): string =>
  `<div style="position:relative;width:200px;height:40px;background:#fff;${style}">${content}</div>`;
const COVER = 'position:absolute;inset:0;background:#777';

const cases: [body: string, fault: RegExp | null][] = [
  [box('', '<p id="x" style="color:#767676">text</p>'), null],
  [box('', '<p id="x" style="color:#777777">text</p>'), /^contrast 4\.48/],
  [box('', '<p id="x" style="color:rgb(0 0 0 / 50%)">text</p>'), /^contrast 3\.98/],
  [box('', '<p style="background:rgb(0 0 0 / 50%)"><b id="x">text</b></p>'), null],
  [box('background:color-mix(in srgb, #fff 50%, #ccc)', '<p id="x" style="color:#666666">text</p>'), null],
  [
    box('background:color-mix(in srgb, #fff 50%, #ccc)', '<p id="x" style="color:#6b6b6b">text</p>'),
    /^contrast 4\.2/,
  ],
  [box('', '<p style="background:rgb(0 0 0 / 70%)"><b id="x">text</b></p>'), /^contrast/],
  [box('', '<svg><text y="20" fill="#999"><tspan id="x">text</tspan></text></svg>'), /^contrast 2\.85/],
  [box('', `<p id="x">text</p><i style="${COVER}"></i>`), null],
  [box('', `<i style="${COVER}"></i><p id="x" style="position:relative">text</p>`), /between/],
  [box('background:linear-gradient(#fff, #000)', '<p id="x">text</p>'), /picture/],
  [box('opacity:0.9', '<p id="x">text</p>'), /lets something through/],
  [box('', '<p id="x" style="position:absolute;top:60px">text</p>'), /between/],
  [box('overflow:auto', '<p style="height:300px"></p><p id="x">text</p>'), null],
  [box('overflow:hidden', '<p id="x" style="position:absolute;top:-60px">text</p>'), /nothing of it/],
];

consoleTest('the ground of a text is found, or what hides it is named', async ({ open }, t) => {
  const page = await open('/console-config.json');
  for (const [body, fault] of cases) {
    await page.setContent(`<!doctype html><body style="background:#fff">${body}`);
    const found = await faultOfText(page, '#x');
    if (fault === null) t.equal(found, null, body);
    else t.match(found, fault, body);
  }
});
