import { describe, expect, it } from 'vitest';
import { BLANK_DEFINITION } from './draft';
import { faultsAtLines, MOST_CHARACTERS, readPlan, writePlan } from './plan-yaml';

describe('the plan as YAML', () => {
  it('is read back as it was written', () => {
    expect(readPlan(writePlan(BLANK_DEFINITION))).toMatchObject({ definition: BLANK_DEFINITION, faults: [] });
  });

  it('may be JSON', () => {
    expect(readPlan(JSON.stringify(BLANK_DEFINITION)).definition).toEqual(BLANK_DEFINITION);
  });

  it('keeps a name that looks like a number', () => {
    const named = { ...BLANK_DEFINITION, name: '2026-11' };
    expect(readPlan(writePlan(named)).definition?.name).toBe('2026-11');
    expect(readPlan(writePlan(named).replace('2026-11', '2026')).faults[0]?.message).toContain('name');
  });

  it.each([
    ['a: [1', 1],
    ['targets: []\nname: "x', 2],
    ['- 1', null],
    ['null', null],
    ['', null],
    ['targets: 1', 1],
    ['targets: []\naxes: {}', 2],
    ['targets: []\naxes:\n  - parameter: connections', 3],
    ['targets: []\nworkload: 3', 2],
    ['targets: [7]', 1],
  ])('says what is wrong with %j and where', (text, line) => {
    const { definition, faults } = readPlan(text);
    expect(definition).toBeNull();
    expect(faults[0]).toMatchObject({ line });
  });

  it('refuses what would freeze the page', () => {
    expect(readPlan('x'.repeat(MOST_CHARACTERS + 1)).faults[0]?.message).toContain('too long');
    const bomb = `a0: &a0 [x, x]\n${Array.from({ length: 20 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join('\n')}`;
    expect(readPlan(bomb).definition).toBeNull();
  });

  it('shows what the api refuses at its line, or at the nearest part above', () => {
    const read = readPlan(writePlan(BLANK_DEFINITION));
    const text = writePlan(BLANK_DEFINITION).split('\n');
    const [axis, missing, none] = faultsAtLines(
      [
        { path: 'axes[0].values[2]', code: 'x', message: 'is too large' },
        { path: 'workload.dataset.colour', code: 'x', message: 'is unknown' },
        { path: '', code: 'x', message: 'is odd' },
      ],
      read,
    );
    expect(text[(axis?.line ?? 0) - 1]).toContain('16');
    expect(missing?.line).toBeGreaterThan(1);
    expect(none).toEqual({ line: null, message: 'is odd' });
  });
});
