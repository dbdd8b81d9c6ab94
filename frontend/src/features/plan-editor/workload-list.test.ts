import { describe, expect, it } from 'vitest';
import { BLANK_WORKLOAD } from './draft';
import { duplicated, entriesOf, nameOf, ownSettings, withEntries, withOnly } from './workload-list';

const SINGLE = { workload: BLANK_WORKLOAD, workloads: [] };

describe('the workloads of a plan', () => {
  it('are one without a list, and a list once there are two', () => {
    const entries = entriesOf(SINGLE);
    expect(entries).toEqual([{ name: 'get and set', workload: BLANK_WORKLOAD }]);
    const two = duplicated(entries, 0);
    expect(withEntries(two)).toEqual({ workload: null, workloads: two });
    expect(two.map(({ name }) => name)).toEqual(['get and set', 'get and set 2']);
    expect(duplicated(two, 1).map(({ name }) => name)).toEqual([
      'get and set',
      'get and set 2',
      'get and set 3',
    ]);
  });

  it('come back to one when the others are gone, and stay a list where it is bound to targets', () => {
    const entries = entriesOf(SINGLE);
    expect(withEntries(entries)).toEqual(SINGLE);
    const bound = entries.map((entry) => ({ ...entry, targets: ['Redis'] }));
    expect(withEntries(bound)).toEqual({ workload: null, workloads: bound });
  });

  it('say what they set by themselves', () => {
    const [entry] = entriesOf(SINGLE);
    expect(entry && ownSettings(entry)).toEqual([]);
    expect(
      entry && ownSettings({ ...entry, stop: { seconds: 1 }, prefill: false, only: { connections: [1] } }),
    ).toEqual(['an end', 'no prefill', 'some values of connections only']);
    expect(nameOf({ workload_id: 'x' })).toBe('saved');
  });

  it('is kept to some values of an axis, and to all when none is chosen', () => {
    const only = withOnly({ pipeline: [1] }, 'connections', [4, 16]);
    expect(only).toEqual({ pipeline: [1], connections: [4, 16] });
    expect(withOnly(only, 'pipeline', [])).toEqual({ connections: [4, 16] });
    expect(withOnly(undefined, 'pipeline', [])).toEqual({});
  });
});
