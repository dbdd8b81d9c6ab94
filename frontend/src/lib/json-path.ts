/** Paths of fields as the api names them (`axes[0].values[2]`, `/axes/0/values/2` or `axes.0.values.2`), in one spelling. */
export function normalizePath(path: string | null | undefined): string {
  return (path ?? '')
    .replace(/^\$\.?/, '')
    .replace(/\[(\d+)\]/g, '.$1')
    .replaceAll('/', '.')
    .replace(/^\.+|\.+$/g, '');
}

export interface PathMessage {
  readonly path?: string | null;
  readonly code: string;
  readonly message: string;
}

/** What is said about the field itself or anything inside it. */
export function messagesAt<T extends PathMessage>(messages: readonly T[], field: string): T[] {
  return messages.filter(({ path }) => {
    const normal = normalizePath(path);
    return normal === field || normal.startsWith(`${field}.`);
  });
}

/** What belongs to none of the fields, so that nothing said is lost. */
export function messagesElsewhere<T extends PathMessage>(
  messages: readonly T[],
  fields: readonly string[],
): T[] {
  return messages.filter((message) => fields.every((field) => messagesAt([message], field).length === 0));
}
