//! Zipf's law without a table of all ranks.

use crate::rng::Rng;

/// Ranks up to this have a cell of their own.
const SINGLE_RANKS: u64 = 1024;
/// Cells per doubling of the rank behind them. More make proposals surer and the table larger.
const CELLS_PER_DOUBLING: f64 = 64.0;

/// Ranks `1..=n` with probability proportional to `rank^-exponent`, for any exponent above 0.
///
/// Ranks lie in cells that grow with the rank. A cell is drawn by an alias table (Walker 1977, Vose 1991) in proportion
/// to its number of ranks times the probability of its first one, then a rank within it, which is accepted with its
/// own probability over that of the first: exact for every rank. The table has at most some 2,600 cells, however
/// many keys there are.
#[derive(Debug, Clone)]
pub(crate) struct Zipf {
    exponent: f64,
    cells: Box<[Cell]>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    first: u64,
    ranks: u64,
    /// Below this a draw stays in the cell, else it goes to `alias`. A share of 2^64, as is `sure`.
    threshold: u64,
    alias: usize,
    /// Probability of the last rank over that of the first: below it every rank is accepted.
    sure: u64,
}

impl Zipf {
    pub(crate) fn new(len: u64, exponent: f64) -> Self {
        let mut cells = Vec::new();
        let mut first = 1;
        while first <= len {
            let ranks = ranks_of_cell(first).min(len - first + 1);
            let sure = ((first + ranks - 1) as f64 / first as f64).powf(-exponent);
            let alias = cells.len();
            cells.push(Cell { first, ranks, threshold: u64::MAX, alias, sure: share(sure) });
            first += ranks;
        }
        let weights = cells.iter().map(|cell| cell.ranks as f64 * (cell.first as f64).powf(-exponent));
        let weights: Vec<f64> = weights.collect();
        lay_aliases(&mut cells, &weights);
        Self { exponent, cells: cells.into() }
    }

    /// Nothing is decided by a branch that chance takes but the rare second look: a branch foretold wrongly costs more
    /// than all the rest.
    #[inline]
    pub(crate) fn next(&self, rng: &mut Rng) -> u64 {
        loop {
            let (at, fraction) = split(rng.next_u64(), self.cells.len() as u64);
            let drawn = &self.cells[at as usize];
            let chosen = if fraction < drawn.threshold { at as usize } else { drawn.alias };
            let cell = &self.cells[chosen];
            let (offset, u) = split(rng.next_u64(), cell.ranks);
            if u < cell.sure || self.accepts(cell, offset, u) {
                return cell.first + offset;
            }
        }
    }

    #[cold]
    fn accepts(&self, cell: &Cell, offset: u64, u: u64) -> bool {
        u < share((1.0 + offset as f64 / cell.first as f64).powf(-self.exponent))
    }
}

/// A number uniform in `0..bound` and a fraction of 2^64 that does not depend on it.
#[inline]
fn split(drawn: u64, bound: u64) -> (u64, u64) {
    let product = u128::from(drawn) * u128::from(bound);
    ((product >> 64) as u64, product as u64)
}

fn share(part: f64) -> u64 {
    (part * 2f64.powi(64)) as u64
}

fn ranks_of_cell(first: u64) -> u64 {
    if first <= SINGLE_RANKS { 1 } else { (first as f64 * (1.0 / CELLS_PER_DOUBLING).exp2()) as u64 - first }
}

/// Vose's method: every cell that is too light is filled up by one that is too heavy.
fn lay_aliases(cells: &mut [Cell], weights: &[f64]) {
    let total: f64 = weights.iter().sum();
    let mut left: Vec<f64> = weights.iter().map(|weight| weight / total * cells.len() as f64).collect();
    let (mut light, mut heavy): (Vec<usize>, Vec<usize>) =
        (0..cells.len()).partition(|&cell| left[cell] < 1.0);
    while let (Some(&giver), Some(taker)) = (heavy.last(), light.pop()) {
        cells[taker].threshold = share(left[taker]);
        cells[taker].alias = giver;
        left[giver] -= 1.0 - left[taker];
        if left[giver] < 1.0 {
            heavy.pop();
            light.push(giver);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Chi-square of `draws` ranks against the exact probabilities, the tail pooled where fewer than 10 are expected.
    fn chi_square_per_degree(len: u64, exponent: f64, draws: u64) -> f64 {
        let zipf = Zipf::new(len, exponent);
        let mut rng = Rng::for_stream(11, 0, 0);
        let mut seen = vec![0u64; len as usize + 1];
        (0..draws).for_each(|_| seen[zipf.next(&mut rng) as usize] += 1);
        let weights: Vec<f64> = (1..=len).map(|rank| (rank as f64).powf(-exponent)).collect();
        let total: f64 = weights.iter().sum();
        let (mut sum, mut cells, mut pooled, mut pooled_seen) = (0.0, 0.0, 0.0, 0.0);
        for (index, weight) in weights.iter().enumerate() {
            pooled += weight / total * draws as f64;
            pooled_seen += seen[index + 1] as f64;
            if pooled >= 10.0 {
                sum += (pooled_seen - pooled).powi(2) / pooled;
                cells += 1.0;
                (pooled, pooled_seen) = (0.0, 0.0);
            }
        }
        sum / (cells - 1.0)
    }

    #[test]
    fn ranks_follow_the_law_for_exponents_below_at_and_above_one() {
        for (len, exponent, most) in [
            (1000, 0.5, 1.2),
            (1000, 0.99, 1.2),
            (1000, 1.0, 1.2),
            (1000, 1.2, 1.2),
            (50, 2.5, 1.8),
            (20_000, 0.2, 1.1),
            (20_000, 0.99, 1.1),
            (20_000, 1.5, 1.2),
        ] {
            let ratio = chi_square_per_degree(len, exponent, 300_000);
            assert!(ratio < most, "n {len}, exponent {exponent}: chi-square per degree {ratio}");
        }
    }

    #[test]
    fn ranks_stay_in_range_at_the_extremes() {
        let mut rng = Rng::for_stream(3, 0, 0);
        for (len, exponent) in
            [(1, 0.5), (1, 10.0), (2, 1.0), (1025, 1.0), (10_000_000_000, 0.01), (10_000_000_000, 10.0)]
        {
            let zipf = Zipf::new(len, exponent);
            assert!((0..10_000).all(|_| (1..=len).contains(&zipf.next(&mut rng))));
        }
    }

    #[test]
    fn cells_cover_every_rank_once_and_stay_few() {
        for len in [1, 2, 1024, 1025, 1_000_003, 10_000_000_000] {
            let cells = Zipf::new(len, 0.99).cells;
            assert!(cells.windows(2).all(|pair| pair[0].first + pair[0].ranks == pair[1].first));
            assert_eq!(cells.iter().map(|cell| cell.ranks).sum::<u64>(), len);
            assert!(cells.len() < 2600, "{}", cells.len());
        }
    }
}
