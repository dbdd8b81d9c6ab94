import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { ChartLegend } from './ChartLegend';
import { toSvgText } from './export-chart';
import { type ChartSeries, toRows, voidPoints, yValues, zeroPoints } from './model';
import { axisUnit, linearScale, logScale, xScale } from './scale';
import { XyChart } from './XyChart';
import { indexRange, ZoomSlider } from './ZoomSlider';

const HOSTILE = '<img src=x onerror=alert(1)>';

function series(label: string, values: readonly (number | null)[], lookIndex = 0): ChartSeries {
  return { key: label, label, lookIndex, points: values.map((y, index) => ({ x: 2 ** index, y })) };
}

function show(children: React.ReactNode) {
  return render(<MantineProvider env="test">{children}</MantineProvider>);
}

const X = { title: 'connections', quantity: 'plain', isLog: true } as const;
const Y = { title: 'Throughput', quantity: 'rate', isLog: true } as const;

describe('scales', () => {
  it('step to round limits', () => {
    expect(linearScale([0, 87], { fromZero: true })).toEqual({
      domain: [0, 100],
      ticks: [0, 20, 40, 60, 80, 100],
    });
    expect(linearScale([0, 101], { fromZero: true }).domain[1]).toBe(150);
    expect(linearScale([], { fromZero: true }).domain).toEqual([0, 1]);
    expect(linearScale([0, 0], { fromZero: true }).domain).toEqual([0, 1]);
  });

  it('on a log axis pass over zero and end at 1, 2 or 5', () => {
    expect(logScale([0, 3, 4000])).toMatchObject({ domain: [2, 5000] });
    expect(logScale([0, 0]).domain).toEqual([1, 10]);
    expect(logScale([100]).domain).toEqual([100, 200]);
  });

  it('put the bound values themselves on the x axis', () => {
    expect(xScale([4, 64, 16], true, null).ticks).toEqual([4, 16, 64]);
    expect(xScale([4, 64, 16], true, [10, 64])).toEqual({ domain: [10, 64], ticks: [16, 64] });
  });

  it('have one unit an axis', () => {
    expect(axisUnit('duration', 2e6)).toEqual({ unit: 'ms', divisor: 1e6 });
    expect(axisUnit('rate', 2e4).unit).toBe('k ops/s');
  });
});

describe('rows of a chart', () => {
  it('join the lines by x, in order', () => {
    const rows = toRows([series('a', [1, 2]), series('b', [5, 6, 7])], false);
    expect(rows.map(({ x, values }) => [x, ...values])).toEqual([
      [1, 1, 5],
      [2, 2, 6],
      [4, null, 7],
    ]);
  });

  it('make zero a gap on a log axis, and name it', () => {
    const lines = [series('a', [0, 2])];
    expect(toRows(lines, true)[0]?.values).toEqual([null]);
    expect(toRows(lines, false)[0]?.values).toEqual([0]);
    expect(zeroPoints(lines, true)).toEqual([{ seriesLabel: 'a', x: 1 }]);
    expect(zeroPoints(lines, false)).toEqual([]);
  });

  it('leave void points off the line but know them', () => {
    const voided: ChartSeries = {
      ...series('a', [1]),
      points: [{ x: 1, y: null, trust: 'void', note: 'saturated' }],
    };
    expect(voidPoints([voided])).toHaveLength(1);
    expect(yValues([voided], null)).toEqual([]);
  });
});

describe('the zoom', () => {
  it('holds two values even where a drag caught one', () => {
    expect(indexRange([1, 4, 16, 64], [3, 5])).toEqual([1, 2]);
    expect(indexRange([1, 4, 16, 64], [70, 90])).toEqual([2, 3]);
    expect(indexRange([1, 4, 16, 64], null)).toEqual([0, 3]);
  });

  it('is moved by the arrow keys', async () => {
    const onZoom = vi.fn();
    show(<ZoomSlider values={[1, 4, 16, 64]} zoom={null} onZoom={onZoom} label="connections" />);
    screen.getByRole('slider', { name: 'First connections' }).focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(onZoom).toHaveBeenCalledWith([4, 64]);
  });
});

describe('a chart', () => {
  it('draws a line although a value is zero on a log axis, and says the word', () => {
    const { container } = show(
      <XyChart name="Throughput" series={[series('a', [0, 200, 300])]} x={X} y={Y} />,
    );
    expect(container.querySelector('.recharts-line-curve')?.getAttribute('d')).toMatch(/^M/);
    expect(container.querySelector('.chart-zero')?.textContent).toBe('zero');
  });

  it('marks a void point with its reason', () => {
    const line: ChartSeries = {
      ...series('a', [5, 6]),
      points: [
        { x: 1, y: 5 },
        { x: 2, y: null, trust: 'void', note: '3 trials void' },
      ],
    };
    show(<XyChart name="Throughput" series={[line]} x={X} y={Y} />);
    expect(screen.getByText('a at 2: void, 3 trials void')).toBeInTheDocument();
  });

  it('is exported with title and legend, and hostile names stay text', () => {
    const lines = [series(HOSTILE, [10, 200, 300])];
    const { container } = show(<XyChart name="n" series={lines} x={X} y={Y} />);
    const text = toSvgText({ figure: container, title: HOSTILE, series: lines, scheme: 'light' });
    const parsed = new DOMParser().parseFromString(text, 'image/svg+xml');
    expect(parsed.querySelector('parsererror')).toBeNull();
    expect(parsed.querySelector('img')).toBeNull();
    expect([...parsed.querySelectorAll('text')].filter((node) => node.textContent === HOSTILE)).toHaveLength(
      2,
    );
    expect(parsed.querySelector('.recharts-line-curve')).not.toBeNull();
    expect(parsed.querySelector('.chart-not-exported')).toBeNull();
  });
});

describe('the legend', () => {
  it('toggles with a click and isolates with a double click or Shift', async () => {
    const onToggle = vi.fn();
    const onIsolate = vi.fn();
    show(
      <ChartLegend
        series={[series('a', []), series('b', [], 1)]}
        hidden={new Set(['b'])}
        onToggle={onToggle}
        onIsolate={onIsolate}
      />,
    );
    expect(screen.getByRole('button', { name: 'b' })).toHaveAttribute('aria-pressed', 'false');
    await userEvent.click(screen.getByRole('button', { name: 'a' }));
    expect(onToggle).toHaveBeenCalledExactlyOnceWith('a');
    await userEvent.dblClick(screen.getByRole('button', { name: 'a' }));
    expect(onIsolate).toHaveBeenCalledExactlyOnceWith('a');
    await userEvent.keyboard('{Shift>}{Enter}{/Shift}');
    expect(onIsolate).toHaveBeenCalledTimes(2);
  });
});
