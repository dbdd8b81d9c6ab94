/** Where words beside points stand without lying on each other. Pure. */

interface Point {
  readonly word: string;
  readonly x: number;
  readonly y: number;
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

type Placed<T> = T & { readonly wordX: number | null; readonly wordY: number };

const LETTER_PX = 6;
const LINE_PX = 13;
/** Above, below, right and left of the ring, from its middle to the foot of the word. */
const ABOVE_PX = -14;
const BELOW_PX = 22;
const BESIDE_PX = 14;

/** Every word at its first free side; none where all are taken, as its ring says enough. */
export function placedWords<T extends Point>(points: readonly T[], area: Area): Placed<T>[] {
  const taken: Point[] = [];
  return points.map((point) => {
    const free = sidesOf(point).find(
      (side) => isWithin(side, area) && !taken.some((other) => overlap(side, other)),
    );
    if (!free) return { ...point, wordX: null, wordY: 0 };
    taken.push(free);
    return { ...point, wordX: free.x, wordY: free.y };
  });
}

function sidesOf({ word, x, y }: Point): Point[] {
  const aside = BESIDE_PX + widthOf(word) / 2;
  return [
    { word, x, y: y + ABOVE_PX },
    { word, x, y: y + BELOW_PX },
    { word, x: x + aside, y: y + 4 },
    { word, x: x - aside, y: y + 4 },
  ];
}

export function widthOf(word: string): number {
  return word.length * LETTER_PX;
}

function isWithin({ word, x, y }: Point, area: Area): boolean {
  const half = widthOf(word) / 2;
  return x - half >= area.x && x + half <= area.x + area.width && y >= area.y && y <= area.y + area.height;
}

function overlap(one: Point, other: Point): boolean {
  const apart = (widthOf(one.word) + widthOf(other.word)) / 2;
  return Math.abs(one.x - other.x) < apart && Math.abs(one.y - other.y) < LINE_PX;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The first of so many rows in which each has room beside those before it; null where none has. */
export function rowsOf(stretches: readonly Stretch[], rows: number): (number | null)[] {
  const taken: Stretch[][] = Array.from({ length: rows }, () => []);
  return stretches.map(({ from, to }) => {
    const row = taken.findIndex((others) => others.every((other) => from >= other.to || to <= other.from));
    taken[row]?.push({ from, to });
    return row < 0 ? null : row;
  });
}
