/** Where the names of an axis break into lines. Pure. */

/** Of a letter of the axis' font, on average. */
const LETTER_PX = 7.2;
export const LINE_PX = 13;
const MOST_LINES = 5;
/** Of a tilted name: what the axis has height for. */
const MOST_LETTERS = 16;
const TILTED_HEIGHT_PX = 82;
/** Below the last line, which the margin of the chart adds to. */
const FOOT_PX = 6;

/** What the axis needs below its line. */
export function nameHeight(names: readonly string[], roomPx: number): number {
  if (isTilted(names, roomPx)) return TILTED_HEIGHT_PX;
  return LINE_PX * Math.max(1, ...names.map((name) => linesOf(name, roomPx).length)) + FOOT_PX;
}

/** Whether a name would not fit into its lines upright. */
export function isTilted(names: readonly string[], roomPx: number): boolean {
  const letters = lettersIn(roomPx);
  return names.some((name) => {
    const lines = brokenInto(name, letters);
    return lines.length > MOST_LINES || lines.some((line) => line.length > letters);
  });
}

export function linesOf(name: string, roomPx: number): string[] {
  return brokenInto(name, lettersIn(roomPx));
}

/** Names of one axis differ at either end: what goes is the middle. */
export function shortened(name: string): string {
  if (name.length <= MOST_LETTERS) return name;
  const half = Math.floor((MOST_LETTERS - 1) / 2);
  return `${name.slice(0, half)}…${name.slice(half + 1 - MOST_LETTERS)}`;
}

function lettersIn(roomPx: number): number {
  return Math.max(1, Math.floor(roomPx / LETTER_PX) - 1);
}

/** As many words a line as it has room for; a hyphen may end one. */
function brokenInto(name: string, letters: number): string[] {
  const lines: string[] = [];
  for (const part of name.match(/[^ -]*(?:-| +|$)/g) ?? []) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.trimEnd().length <= letters)
      lines[lines.length - 1] = last + part;
    else if (part !== '') lines.push(part);
  }
  return lines.map((line) => line.trimEnd());
}
