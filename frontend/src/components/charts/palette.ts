/**
 * Ten colours found by simulated annealing in OKLab: the least distance between any two, as seen with normal sight and
 * with protan, deutan and tritan deficiency (Machado et al. 2009), is as large as it gets while each stays at 3:1 or more
 * against its background. The tests hold both facts. Colour is never alone: each index has a line style and a marker too.
 */
export const LIGHT_PALETTE = [
  '#155fd8',
  '#c92902',
  '#ab910b',
  '#20a1bd',
  '#660fa2',
  '#fa5d8a',
  '#9d72fa',
  '#732d1d',
  '#865c88',
  '#024861',
] as const;

export const DARK_PALETTE = [
  '#417bff',
  '#df7927',
  '#feea86',
  '#60faff',
  '#b74dce',
  '#e43664',
  '#b5c1fe',
  '#ffa4a3',
  '#8f7b99',
  '#1db0d3',
] as const;

const MARKERS = [
  'circle',
  'square',
  'triangle',
  'diamond',
  'cross',
  'star',
  'triangle-down',
  'ring',
  'hexagon',
  'bar',
] as const;
export type Marker = (typeof MARKERS)[number];

const DASHES = ['', '7 3', '2 3', '9 3 2 3', '5 2', '12 4', '1 4', '8 2 1 2 1 2', '4 4', '14 3 3 3'] as const;

export interface Look {
  readonly color: string;
  readonly dash: string;
  /** Null for none. */
  readonly marker: Marker | null;
  /** An outline only. */
  readonly isHollow: boolean;
}

/** How far the shapes move on when the colours begin anew. */
const NEXT_SHAPE = 3;

/**
 * The look of the target with this index, the same in every chart of a page.
 *
 * @param tint 0 for the colour itself, up to 1 for the lightest tint (percentiles of one target)
 */
export function lookOf(index: number, scheme: 'light' | 'dark', tint = 0): Look {
  const palette = scheme === 'dark' ? DARK_PALETTE : LIGHT_PALETTE;
  const place = index % palette.length;
  const base = palette[place] ?? LIGHT_PALETTE[0];
  // The eleventh has the first's colour, but another line and a hollow marker of another shape.
  const shape = (index + Math.floor(index / palette.length) * NEXT_SHAPE) % palette.length;
  return {
    color: tint === 0 ? base : mix(base, scheme === 'dark' ? '#15181d' : '#ffffff', tint * 0.6),
    dash: DASHES[shape] ?? '',
    marker: MARKERS[shape] ?? 'circle',
    isHollow: index >= palette.length,
  };
}

interface Drawn {
  readonly lookIndex: number;
  readonly tint?: number;
  readonly isBare?: boolean;
  readonly isReference?: boolean;
}

/** Stand out from their ground by 4.5:1 or more and from no colour of the palettes by hue. */
const REFERENCE_GREY = { light: '#6a7078', dark: '#a3abb5' } as const;
const REFERENCE_DASHES = [
  '6 4',
  '2 4',
  '10 3 2 3',
  '4 2',
  '12 5',
  '1 3',
  '8 2 2 2 2 2',
  '5 5',
  '3 2',
  '14 4 4 4',
] as const;

const BARE_TINT_DASH = '5 3';

/** Grey and dashed, with the marker of the target that it stands beside. */
function referenceLook(index: number, scheme: 'light' | 'dark'): Look {
  const place = index % MARKERS.length;
  return {
    color: REFERENCE_GREY[scheme],
    dash: REFERENCE_DASHES[place] ?? '6 4',
    marker: MARKERS[place] ?? 'circle',
    isHollow: true,
  };
}

/** The look of a line: of its target, unless it has no markers or is somebody else's. */
export function lookOfSeries(
  { lookIndex, tint, isBare, isReference }: Drawn,
  scheme: 'light' | 'dark',
): Look {
  if (isReference) return referenceLook(lookIndex, scheme);
  const look = lookOf(lookIndex, scheme, tint);
  return isBare ? { ...look, marker: null, dash: tint ? BARE_TINT_DASH : '' } : look;
}

function mix(color: string, towards: string, share: number): string {
  const channel = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map((at) => {
    const value = channel(color, at) * (1 - share) + channel(towards, at) * share;
    return Math.round(value).toString(16).padStart(2, '0');
  });
  return `#${mixed.join('')}`;
}
