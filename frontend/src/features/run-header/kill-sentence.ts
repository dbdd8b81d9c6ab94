/** What a kill took, in one sentence: a run that kills its stores is about that, not about who was faster. */
import type { Point } from '@/api/runs';
import { countNoun, formatPercent } from '@/lib/format';
import { describeParameters } from '@/lib/parameters';

/** Null where no store was killed. */
export function killSentence(points: readonly Point[]): string | null {
  const losses = points.flatMap(({ parameters, metrics }) => {
    const [lost, torn] = [metrics?.lost_share?.mean, metrics?.torn_share?.mean ?? 0];
    return lost === undefined ? [] : [{ name: describeParameters(parameters), lost, torn }];
  });
  if (losses.length === 0) return null;
  const hit = losses.filter(({ lost, torn }) => lost + torn > 0).sort((a, b) => b.lost - a.lost);
  const whole = losses.length - hit.length;
  const lost = hit.map((one) => `${one.name} ${formatPercent(one.lost)} of its keys${tornOf(one)}`);
  if (hit.length === 0) return `${countNoun(whole, 'point')} killed: no acknowledged write was lost or torn.`;
  const rest = whole > 0 ? `; ${countNoun(whole, 'other')} lost nothing` : '';
  return `The kill cost ${lost.join(', ')}${rest}.`;
}

function tornOf({ torn }: { readonly torn: number }): string {
  return torn > 0 ? ` and tore ${formatPercent(torn)}` : '';
}
