export interface Distinct<T> {
  readonly value: T;
  readonly count: number;
  /** Of those that are equal, each once. */
  readonly names: readonly string[];
}

/** Equal values once, with how many there were and whose; what is missing is left out. */
export function distinct<T>(values: ReadonlyArray<T | null>, names: readonly string[] = []): Distinct<T>[] {
  const known = new Map<string, Distinct<T>>();
  values.forEach((value, index) => {
    if (value === null) return;
    const key = JSON.stringify(value);
    const before = known.get(key);
    const name = names[index];
    const named = new Set([...(before?.names ?? []), ...(name ? [name] : [])]);
    known.set(key, { value, count: (before?.count ?? 0) + 1, names: [...named] });
  });
  return [...known.values()];
}
