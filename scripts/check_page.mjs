// What check-page.sh does with each page. Usage: node check_page.mjs DIR-OR-EMPTY PAGE...
import { createRequire } from 'node:module';
import { readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const MOST_BYTES = 1_000_000;
const WIDE = 1280;
const NARROW = 400;

const [kept, ...pages] = process.argv.slice(2);
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});
let found = 0;

function report(page, what) {
  found += 1;
  console.log(`${page}: ${what}`);
}

/** Parts that reach beyond the screen and cannot be scrolled to by themselves. */
function overflow() {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  const wide = [...document.querySelectorAll('body *')].filter(
    (part) => part.getBoundingClientRect().right > width + 1 && !part.closest('.scroll') && !part.closest('svg'),
  );
  return wide.slice(0, 5).map((part) => `${part.tagName.toLowerCase()} ${part.id || part.className}`);
}

async function look(file) {
  const { size } = await stat(file);
  if (size >= MOST_BYTES) report(file, `${size} bytes`);
  const tab = await browser.newPage();
  const address = pathToFileURL(resolve(file)).href;
  tab.on('console', (message) => report(file, `console: ${message.type()}: ${message.text()}`));
  tab.on('pageerror', (error) => report(file, `error: ${error.message}`));
  tab.on('request', (request) => {
    if (request.url() !== address && !request.url().startsWith('data:')) report(file, `request: ${request.url()}`);
  });
  const name = basename(file, '.html');
  for (const scheme of ['light', 'dark']) {
    await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    for (const width of [WIDE, NARROW]) {
      await tab.setViewport({ width, height: 900 });
      await tab.goto(address, { waitUntil: 'load' });
      const size = width === NARROW ? '-narrow' : '';
      if (kept) await tab.screenshot({ path: join(kept, `${name}-${scheme}${size}.png`), fullPage: true });
      // What is folded is looked at too.
      await tab.evaluate(() => document.querySelectorAll('details').forEach((part) => (part.open = true)));
      for (const part of await tab.evaluate(overflow)) report(file, `wider than ${width} pixels: ${part}`);
      await tab.evaluate(axe);
      const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
      for (const fault of violations) {
        const where = fault.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', ');
        const line = `${scheme}, ${width} pixels: ${fault.impact}: ${fault.id}: ${fault.help} (${fault.nodes.length}: ${where})`;
        if (['serious', 'critical'].includes(fault.impact)) report(file, line);
        else console.log(`${file}: note: ${line}`);
      }
    }
  }
  // The button, by the keyboard alone.
  await tab.setViewport({ width: WIDE, height: 900 });
  await tab.goto(address, { waitUntil: 'load' });
  await tab.focus('#scheme');
  await tab.keyboard.press('Enter');
  const scheme = await tab.evaluate(() => document.documentElement.dataset.scheme);
  if (scheme !== 'light') report(file, `the button makes the scheme ${scheme}, from dark`);
  if (kept) await tab.pdf({ path: join(kept, `${name}.pdf`), format: 'A4' });
  await tab.close();
}

for (const file of pages) await look(file);
await browser.close();
console.log(`${pages.length} pages, ${found} faults`);
process.exit(found > 0 ? 1 : 0);
