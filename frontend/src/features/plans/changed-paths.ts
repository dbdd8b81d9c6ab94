export interface Change {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Every value that differs between two JSON documents, with its path; lists of plain values count as one value. */
export function changedPaths(before: unknown, after: unknown, path = ''): Change[] {
  if (isBranch(before) && isBranch(after)) {
    const [left, right] = [before as Record<string, unknown>, after as Record<string, unknown>];
    const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])];
    return keys.flatMap((key) =>
      changedPaths(left[key], right[key], pathTo(path, key, Array.isArray(after))),
    );
  }
  const [left, right] = [word(before), word(after)];
  return left === right ? [] : [{ path, before: left, after: right }];
}

function isBranch(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return !Array.isArray(value) || value.some((item) => typeof item === 'object' && item !== null);
}

function pathTo(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

function word(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
