// Fails the build when a person's first page asks for more JavaScript than the budget. `node scripts/first-load.mjs`
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const BUDGET_BYTES = 250 * 1024;
const FIRST_PAGES = ['src/pages/SignInPage.tsx', 'src/pages/HomePage.tsx'];

const dist = new URL('../dist/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'));

function filesOf(key, found = new Set()) {
  const chunk = manifest[key];
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const imported of chunk.imports ?? []) filesOf(imported, found);
  return found;
}

let isWithin = true;
for (const page of FIRST_PAGES) {
  const files = new Set([...filesOf('index.html'), ...filesOf(page)]);
  const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(new URL(file, dist))).length, 0);
  console.log(
    `first load of ${page}: ${(bytes / 1024).toFixed(1)} KiB gzip in ${files.size} files (limit ${BUDGET_BYTES / 1024})`,
  );
  isWithin &&= bytes <= BUDGET_BYTES;
}
if (!isWithin) {
  console.error('The first load is over its budget: split a page or drop a dependency.');
  process.exit(1);
}
