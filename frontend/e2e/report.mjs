// Steps with a name, facts with a value; one failed step ends the test.
import assert from 'node:assert/strict';

const facts = {};

export async function step(name, act) {
  const startedAt = Date.now();
  process.stdout.write(`  ${name} ... `);
  try {
    const result = await act();
    console.log(`ok (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    return result;
  } catch (error) {
    console.log('FAILED');
    throw error;
  }
}

/** A step that cannot be done here, with the reason. */
export function skip(name, reason) {
  console.log(`  ${name} ... skipped: ${reason}`);
}

export function fact(name, value) {
  facts[name] = value;
  console.log(`    ${name}: ${typeof value === 'number' ? Math.round(value) : JSON.stringify(value)}`);
}

/** A whole test: it passes when `act` does and no page complained. Else the page as it was is kept as a picture. */
export async function conclude(name, { faults, folder, pageNow }, act) {
  try {
    await act();
    await step('no console error, no violation of the content security policy', () =>
      assert.deepEqual(faults, []),
    );
    console.log(JSON.stringify({ [name]: 'passed', ...facts }));
  } catch (error) {
    console.error(error);
    const file = `${folder}/${name}-failed.png`;
    await pageNow()
      .screenshot({ path: file, fullPage: true })
      .catch(() => undefined);
    console.error(`the page as it was: ${pageNow().url()}, picture in ${file}`, faults);
    process.exitCode = 1;
  }
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

/** Waits until `ask` gives something truthy. */
export async function until(what, ask, withinMs, everyMs = 200) {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await ask();
    if (value) return value;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
