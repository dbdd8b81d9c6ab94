/** Every line divided by one of them, ours by ours and published by published: hardware then falls out. Pure. */
import { type ChartPoint, formatQuantity, type Quantity } from '@/components/charts';
import type { CurveLine } from './shape';

/**
 * @param to the name of the line that becomes 1
 * @param isApart each line stands at a place of its own: all are divided by the one value of the base
 */
export function normalised(lines: readonly CurveLine[], to: string, isApart = false): CurveLine[] {
  return lines.map((line) => {
    if (line.ratioTo !== undefined) return line.ratioTo === to ? line : { ...line, points: [] };
    const base = baseOf(lines, line, to);
    const divisorAt = divisorsOf(base, isApart);
    const lost = line.points.filter(({ x, y }) => y !== null && !divisorAt(x));
    return {
      ...line,
      ...(line.breaks && { breaks: [...line.breaks, ...lost.map(({ x }) => x)] }),
      points: line.points.flatMap((point) => {
        const divisor = divisorAt(point.x);
        if (point.y === null) return [point];
        return divisor ? [divided(point, point.y, divisor)] : [];
      }),
    };
  });
}

function divisorsOf(base: CurveLine | undefined, isApart: boolean): (x: number) => number | null | undefined {
  if (isApart) return () => base?.points[0]?.y;
  const divisors = new Map(base?.points.map(({ x, y }) => [x, y]));
  return (x) => divisors.get(x);
}

/** Ratios have no place among values. */
export function withoutRatios(lines: readonly CurveLine[]): CurveLine[] {
  return lines.map((line) => (line.ratioTo === undefined ? line : { ...line, points: [] }));
}

/** Among published lines the one of the same client comes first. */
function baseOf(lines: readonly CurveLine[], of: CurveLine, to: string): CurveLine | undefined {
  const candidates = lines.filter(
    ({ line, part, isReference, ratioTo }) =>
      line === to &&
      part === of.part &&
      Boolean(isReference) === Boolean(of.isReference) &&
      ratioTo === undefined,
  );
  return candidates.find(({ reference }) => reference === of.reference) ?? candidates[0];
}

/** The band is of the line's own trials; that of the divisor is not in it. */
function divided(point: ChartPoint, y: number, divisor: number): ChartPoint {
  const share = (value: number | null | undefined) => (typeof value === 'number' ? value / divisor : value);
  return { ...point, y: y / divisor, low: share(point.low), high: share(point.high) };
}

/** Each published point says how ours stands to it, where both were measured at the same place. */
export function besideOurs(lines: readonly CurveLine[], quantity: Quantity): CurveLine[] {
  return lines.map((line) => {
    if (!line.isReference) return line;
    const ours = lines.find((one) => !one.isReference && one.line === line.line && one.part === line.part);
    return { ...line, points: line.points.map((point) => withNote(point, ours, quantity)) };
  });
}

function withNote(point: ChartPoint, ours: CurveLine | undefined, quantity: Quantity): ChartPoint {
  const own = ours?.points.find(({ x, y }) => x === point.x && y !== null);
  const parts = ['published'];
  if (own?.y && point.y) {
    parts.push(`ours ${formatQuantity(own.y, quantity)}, ${formatQuantity(own.y / point.y, 'ratio')} of it`);
  }
  if (point.note) parts.push(point.note);
  return { ...point, note: parts.join('; ') };
}
