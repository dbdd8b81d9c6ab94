/** A chart as a file: its own <svg>, with title and legend drawn in, since those are HTML on the page. */
import { saveFile } from '@/lib/save-file';
import type { ChartSeries } from './model';
import { type Look, lookOfSeries } from './palette';

const SVG_NS = 'http://www.w3.org/2000/svg';
const HEADER_PX = 26;
const LEGEND_ROW_PX = 20;
const INLINED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-dasharray',
  'font-size',
  'font-family',
  'font-weight',
  'text-anchor',
  'opacity',
] as const;

export interface ExportRequest {
  readonly figure: Element;
  readonly title: string;
  readonly series: readonly ChartSeries[];
  readonly scheme: 'light' | 'dark';
}

/** Legend icons are `svg.recharts-surface` too: the drawing is the direct child of the wrapper. */
function drawingIn(figure: Element): SVGSVGElement {
  const drawing = figure.querySelector('.recharts-wrapper > svg, svg.chart-drawing');
  if (!(drawing instanceof SVGSVGElement)) throw new Error('The chart is not drawn yet.');
  return drawing;
}

export function toSvgText(request: ExportRequest): string {
  const drawing = drawingIn(request.figure);
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  inlineStyles(drawing, copy);
  for (const extra of copy.querySelectorAll('.chart-not-exported, .recharts-tooltip-cursor')) extra.remove();
  return new XMLSerializer().serializeToString(framed(copy, request));
}

function inlineStyles(source: Element, copy: Element): void {
  const computed = getComputedStyle(source);
  for (const name of INLINED) {
    const value = computed.getPropertyValue(name);
    if (value) copy.setAttribute(name, value);
  }
  copy.removeAttribute('class-name');
  Array.from(source.children).forEach((child, index) => {
    const twin = copy.children[index];
    if (twin) inlineStyles(child, twin);
  });
}

function framed(drawing: SVGSVGElement, { title, series, scheme, figure }: ExportRequest): SVGSVGElement {
  const { width, height } = drawingIn(figure).getBoundingClientRect();
  const rows = legendRows(series, width);
  const top = HEADER_PX + rows.length * LEGEND_ROW_PX;
  const ink = scheme === 'dark' ? '#e6e8eb' : '#1f2328';
  const sheet = element('svg', {
    width,
    height: height + top,
    viewBox: `0 0 ${width} ${height + top}`,
  }) as SVGSVGElement;
  sheet.append(
    element('rect', { width: '100%', height: '100%', fill: scheme === 'dark' ? '#15181d' : '#ffffff' }),
  );
  sheet.append(textAt(12, 18, title, { fill: ink, 'font-size': 14, 'font-weight': 600 }));
  rows.forEach((row, index) => {
    for (const { x, one } of row)
      sheet.append(legendEntry(x, HEADER_PX + index * LEGEND_ROW_PX, one, scheme, ink));
  });
  const body = element('g', { transform: `translate(0 ${top})` });
  body.append(...drawing.childNodes);
  sheet.append(body);
  return sheet;
}

interface PlacedSeries {
  readonly x: number;
  readonly one: ChartSeries;
}

/** Width of a label is estimated: 7 px a letter at 12 px. */
function legendRows(series: readonly ChartSeries[], width: number): PlacedSeries[][] {
  const rows: PlacedSeries[][] = [];
  let x = Number.POSITIVE_INFINITY;
  for (const one of series) {
    const needed = 48 + one.label.length * 7;
    if (x + needed > width) {
      rows.push([]);
      x = 12;
    }
    rows.at(-1)?.push({ x, one });
    x += needed;
  }
  return rows;
}

function legendEntry(x: number, y: number, one: ChartSeries, scheme: 'light' | 'dark', ink: string): Element {
  const look: Look = lookOfSeries(one, scheme);
  const entry = element('g', {});
  entry.append(
    element('line', {
      x1: x,
      x2: x + 26,
      y1: y + 8,
      y2: y + 8,
      stroke: look.color,
      'stroke-width': 2,
      'stroke-dasharray': look.dash,
    }),
    element('circle', { cx: x + 13, cy: y + 8, r: 3, fill: look.color }),
    textAt(x + 32, y + 12, one.label, { fill: ink, 'font-size': 12 }),
  );
  return entry;
}

function textAt(x: number, y: number, text: string, attributes: Record<string, string | number>): Element {
  const node = element('text', { x, y, 'font-family': 'system-ui, sans-serif', ...attributes });
  node.textContent = text;
  return node;
}

function element(name: string, attributes: Record<string, string | number>): Element {
  const node = document.createElementNS(SVG_NS, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  return node;
}

export function saveSvg(name: string, request: ExportRequest): void {
  saveFile(`${name}.svg`, new Blob([toSvgText(request)], { type: 'image/svg+xml' }));
}

/** Twice the size on screen, so that it stays sharp in a document. */
export async function savePng(name: string, request: ExportRequest): Promise<void> {
  const url = URL.createObjectURL(new Blob([toSvgText(request)], { type: 'image/svg+xml' }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const png = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (png) saveFile(`${name}.png`, png);
  } finally {
    URL.revokeObjectURL(url);
  }
}
