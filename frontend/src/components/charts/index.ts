export { ChartFrame } from './ChartFrame';
export { ChartKey } from './ChartKey';
export { ChartLegend, LineNames } from './ChartLegend';
export { ForestPlot, type ForestRow } from './ForestPlot';
export { HeatChart, HeatLegend } from './HeatChart';
export type {
  ChartAxis,
  ChartLevel,
  ChartMark,
  ChartPoint,
  ChartSeries,
  ChartSpan,
  FailedShare,
  Zoom,
} from './model';
export { failedPoints, voidPoints, zeroPoints } from './model';
export { ParametricChart } from './ParametricChart';
export { formatQuantity } from './quantity';
export { ScaleToggle } from './ScaleToggle';
export type { AxisScale, Quantity } from './scale';
export { linearScale } from './scale';
export { TrendThumbnail } from './TrendThumbnail';
export { formatInstant } from './time-scale';
export { XyChart } from './XyChart';
export { ZoomSlider } from './ZoomSlider';
