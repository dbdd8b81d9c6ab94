import { describe, expect, it } from 'vitest';
import { DARK_PALETTE, LIGHT_PALETTE, lookOf } from './palette';

type Rgb = readonly [number, number, number];
type Matrix = readonly [Rgb, Rgb, Rgb];

/** Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB. */
const SIGHTS: Record<string, Matrix> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(hex: string): Rgb {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function seen(rgb: Rgb, sight: Matrix): Rgb {
  const row = (at: 0 | 1 | 2) =>
    Math.min(1, Math.max(0, sight[at][0] * rgb[0] + sight[at][1] * rgb[1] + sight[at][2] * rgb[2]));
  return [row(0), row(1), row(2)];
}

/** Ottosson's OKLab: equal distances look about equally different. */
function oklab([r, g, b]: Rgb): Rgb {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function leastDistance(palette: readonly string[], sight: Matrix): number {
  const labs = palette.map((color) => oklab(seen(linear(color), sight)));
  const distances = labs.flatMap((a, index) =>
    labs.slice(index + 1).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])),
  );
  return Math.min(...distances);
}

function contrast(a: string, b: string): number {
  const [high, low] = [a, b]
    .map((color) => {
      const [r, g, blue] = linear(color);
      return 0.2126 * r + 0.7152 * g + 0.0722 * blue + 0.05;
    })
    .sort((x, y) => y - x) as [number, number];
  return high / low;
}

/** 0.02 is a just noticeable difference in OKLab. */
const TOLD_APART = 0.08;

describe.each([
  ['light', LIGHT_PALETTE, '#ffffff'],
  ['dark', DARK_PALETTE, '#15181d'],
] as const)('the %s palette', (_, palette, ground) => {
  it.each(Object.entries(SIGHTS))('has ten colours told apart with %s', (_sight, matrix) => {
    expect(new Set(palette).size).toBe(10);
    expect(leastDistance(palette, matrix)).toBeGreaterThan(TOLD_APART);
  });

  it('stands out from its ground by 3:1 or more', () => {
    for (const color of palette) expect(contrast(color, ground)).toBeGreaterThanOrEqual(3);
  });
});

describe('a look', () => {
  it('differs in line style and marker too, so that grey print works', () => {
    const looks = Array.from({ length: 10 }, (_, index) => lookOf(index, 'light'));
    expect(new Set(looks.map(({ dash }) => dash)).size).toBe(10);
    expect(new Set(looks.map(({ marker }) => marker)).size).toBe(10);
  });

  it('begins anew after ten with another line and marker', () => {
    const looks = Array.from({ length: 20 }, (_, index) => lookOf(index, 'light'));
    expect(new Set(looks.map(({ color, dash, marker }) => `${color} ${dash} ${marker}`)).size).toBe(20);
    expect(looks[10]).toMatchObject({ color: looks[0]?.color, isHollow: true });
  });

  it('keeps its colour for tint 0 and comes nearer to the ground with more', () => {
    expect(lookOf(0, 'light', 0).color).toBe(LIGHT_PALETTE[0]);
    expect(contrast(lookOf(0, 'light', 0.5).color, '#ffffff')).toBeLessThan(
      contrast(LIGHT_PALETTE[0], '#ffffff'),
    );
  });
});
