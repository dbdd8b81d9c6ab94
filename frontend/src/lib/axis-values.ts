/** The text of an axis: `4 8 16`, `4..256 x2`, `1..10 +1`, and any mixture of them. */

export interface AxisValues {
  readonly values: number[];
  /** What is wrong and where, in words; null when every part was understood. */
  readonly problem: string | null;
}

/** A range that would grow past this is a slip of the pen: a run holds at most 10,000 trials. */
const MAX_VALUES = 1000;

const NUMBER = '[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?[kKmM]?';
const RANGE = new RegExp(`^(${NUMBER})\\.\\.(${NUMBER})$`);
const STEP = /^([x*+])(.+)$/;
const WHOLE_NUMBER = new RegExp(`^${NUMBER}$`);

export function parseAxisValues(text: string): AxisValues {
  const spaced = text.replace(/(\d)([x*]\d)/g, '$1 $2');
  const tokens = spaced.split(/[\s,;]+/).filter((token) => token !== '');
  const values: number[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    const range = RANGE.exec(token);
    if (!range) {
      const value = parseNumber(token);
      if (value === null) return { values, problem: `“${token}” is not a number or a range like 4..256 x2` };
      values.push(value);
      continue;
    }
    const next = tokens[index + 1];
    const step = next === undefined ? null : parseStep(next);
    if (step !== null) index += 1;
    const expanded = expandRange(
      parseNumber(range[1]) ?? 0,
      parseNumber(range[2]) ?? 0,
      step ?? { kind: '+', by: 1 },
    );
    if (typeof expanded === 'string') return { values, problem: `${token}: ${expanded}` };
    values.push(...expanded);
  }
  return { values, problem: firstDuplicate(values) };
}

function parseNumber(token: string | undefined): number | null {
  if (token === undefined || !WHOLE_NUMBER.test(token)) return null;
  const suffix = token.at(-1)?.toLowerCase();
  const factor = suffix === 'k' ? 1000 : suffix === 'm' ? 1_000_000 : 1;
  const value = Number(factor === 1 ? token : token.slice(0, -1)) * factor;
  return Number.isFinite(value) ? value : null;
}

interface Step {
  readonly kind: 'x' | '+';
  readonly by: number;
}

function parseStep(token: string): Step | null {
  const match = STEP.exec(token);
  const by = match ? parseNumber(match[2]) : null;
  if (!match || by === null) return null;
  return { kind: match[1] === '+' ? '+' : 'x', by };
}

function expandRange(from: number, to: number, step: Step): number[] | string {
  if (to < from) return 'a range runs upwards';
  if (step.kind === 'x' && (step.by <= 1 || from <= 0)) return 'a factor must be above 1 and start above 0';
  if (step.kind === '+' && step.by <= 0) return 'a step must be above 0';
  const values: number[] = [];
  for (let count = 0; ; count += 1) {
    const raw = step.kind === 'x' ? from * step.by ** count : from + step.by * count;
    const value = Number(raw.toPrecision(12));
    if (value > to) return values;
    if (count >= MAX_VALUES) return `more than ${MAX_VALUES} values`;
    values.push(value);
  }
}

function firstDuplicate(values: readonly number[]): string | null {
  const twice = values.find((value, index) => values.indexOf(value) !== index);
  return twice === undefined ? null : `${twice} stands there twice`;
}

/** The shortest text that parses back to the same values: a range where three or more follow one rule. */
export function formatAxisValues(values: readonly number[]): string {
  for (const kind of ['x', '+'] as const) {
    const text = asRange(values, kind);
    if (text !== null) return text;
  }
  return values.join(' ');
}

function asRange(values: readonly number[], kind: 'x' | '+'): string | null {
  const [first, second] = values;
  const last = values.at(-1);
  if (first === undefined || second === undefined || last === undefined || values.length < 4) return null;
  const by = kind === 'x' ? second / first : second - first;
  const text = `${first}..${last} ${kind}${by}`;
  const parsed = parseAxisValues(text);
  const isSame = parsed.problem === null && parsed.values.length === values.length;
  return isSame && parsed.values.every((value, index) => value === values[index]) ? text : null;
}
