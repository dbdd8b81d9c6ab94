/** View state in the URL: what is not understood falls back to the default instead of breaking the page. */
export type RawSearch = Record<string, unknown>;

export function oneOf<const T extends string>(raw: unknown, allowed: readonly T[], fallback: T): T {
  return allowed.find((candidate) => candidate === raw) ?? fallback;
}

export function optionalOneOf<const T extends string>(raw: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((candidate) => candidate === raw);
}

export function optionalText(raw: unknown): string | undefined {
  if (typeof raw === 'number') return String(raw);
  return typeof raw === 'string' && raw !== '' ? raw : undefined;
}

export function optionalFlag(raw: unknown): boolean | undefined {
  return typeof raw === 'boolean' ? raw : undefined;
}

export function textList(raw: unknown): string[] | undefined {
  if (!Array.isArray(raw)) return undefined;
  const texts = raw.filter((item): item is string => typeof item === 'string');
  return texts.length > 0 ? texts : undefined;
}

export type NumberRange = readonly [from: number, to: number];

/** `[from, to]` with from below to. */
export function numberRange(raw: unknown): NumberRange | undefined {
  if (!Array.isArray(raw) || raw.length !== 2) return undefined;
  const [from, to] = raw;
  return typeof from === 'number' && typeof to === 'number' && from < to ? [from, to] : undefined;
}

/** Names of axes with the value each is bound to. */
export function valueRecord(raw: unknown): Record<string, string | number> | undefined {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return undefined;
  const entries = Object.entries(raw).filter(
    (entry): entry is [string, string | number] =>
      typeof entry[1] === 'number' || typeof entry[1] === 'string',
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** One name, or several. */
export function oneOrMore(raw: unknown): string[] | undefined {
  return textList(typeof raw === 'string' && raw !== '' ? [raw] : raw);
}

export function optionalCount(raw: unknown, most: number): number | undefined {
  return typeof raw === 'number' && Number.isInteger(raw) && raw >= 0 && raw <= most ? raw : undefined;
}
