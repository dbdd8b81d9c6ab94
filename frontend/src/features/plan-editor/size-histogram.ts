/** Sizes as they were counted somewhere: lines of `min_bytes,max_bytes,weight`, or of `bytes,weight`. Pure. */
import type { WorkloadDefinition } from '@/api/plans';

export type ValueSize = WorkloadDefinition['dataset']['value_size'];
export type Histogram = Extract<ValueSize, { kind: 'histogram' }>;
type Bucket = Histogram['buckets'][number];

const MAX_BUCKETS = 10_000;

export function readHistogram(text: string): { buckets: Bucket[] } | { problem: string } {
  const buckets: Bucket[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || (index === 0 && /[a-z]/i.test(line))) continue;
    const bucket = readBucket(line);
    if (bucket === null)
      return {
        problem: `Line ${index + 1} is not of the form min_bytes,max_bytes,weight: “${line.slice(0, 40)}”`,
      };
    buckets.push(bucket);
    if (buckets.length > MAX_BUCKETS) return { problem: `A histogram has at most ${MAX_BUCKETS} lines.` };
  }
  return buckets.length > 0 ? { buckets } : { problem: 'There is no line in the file.' };
}

function readBucket(line: string): Bucket | null {
  const numbers = line.split(/[,;\t]/).map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [first, second, third] = numbers;
  if (first === undefined || second === undefined || numbers.length > 3) return null;
  const [min_bytes, max_bytes, weight] =
    third === undefined ? [first, first, second] : [first, second, third];
  const isGood = Number.isInteger(min_bytes) && Number.isInteger(max_bytes) && min_bytes >= 1;
  return isGood && max_bytes >= min_bytes && weight > 0 ? { min_bytes, max_bytes, weight } : null;
}

/** From the smallest to the largest size, and their mean. */
export function extentOf({ buckets }: Histogram): { min: number; max: number; mean: number } {
  const total = buckets.reduce((sum, { weight }) => sum + weight, 0);
  const sum = buckets.reduce(
    (all, { min_bytes, max_bytes, weight }) => all + (weight * (min_bytes + max_bytes)) / 2,
    0,
  );
  return {
    min: Math.min(...buckets.map(({ min_bytes }) => min_bytes)),
    max: Math.max(...buckets.map(({ max_bytes }) => max_bytes)),
    mean: sum / total,
  };
}
