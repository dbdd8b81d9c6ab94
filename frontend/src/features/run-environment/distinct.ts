export interface Distinct<T> {
  readonly value: T;
  readonly count: number;
}

/** Equal values once, with how many there were; what is missing is left out. */
export function distinct<T>(values: ReadonlyArray<T | null>): Distinct<T>[] {
  const known = new Map<string, Distinct<T>>();
  for (const value of values) {
    if (value === null) continue;
    const key = JSON.stringify(value);
    known.set(key, { value, count: (known.get(key)?.count ?? 0) + 1 });
  }
  return [...known.values()];
}
