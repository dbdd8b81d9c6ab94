import { describe, expect, it } from 'vitest';
import { toCsv } from './csv';
import { countNoun, formatBytes, formatDuration, formatNs, formatNumber, formatRate } from './format';
import { messagesAt, messagesElsewhere, normalizePath } from './json-path';
import { describeAmong, describeParameters, parameterTitle } from './parameters';
import { RequestProblem, toProblem } from './problem';
import { relativeTime } from './relative-time';
import { requestId } from './request-id';
import { fileStem } from './save-file';
import { numberRange, oneOf, oneOrMore, optionalText, textList, valueRecord } from './search-params';

describe('numbers', () => {
  it.each([
    [formatNumber(12.3456), '12.3'],
    [formatNumber(1240.4), '1,240'],
    [formatNumber(0.12345), '0.123'],
    [formatNumber(0), '0'],
    [formatNumber(null), '–'],
    [formatNs(1_270_000), '1.27 ms'],
    [formatNs(950), '950 ns'],
    [formatNs(2_500_000_000), '2.5 s'],
    [formatNs(0), '0 ns'],
    [formatRate(12_412), '12.4k'],
    [formatRate(1_270_000), '1.27M'],
    [formatRate(12), '12'],
    [formatBytes(1536), '1.5 KiB'],
    [formatDuration(45), '45 s'],
    [formatDuration(150), '2 min 30 s'],
    [formatDuration(3600), '1 h'],
    [formatDuration(0.5), '0.5 s'],
    [formatDuration(90_000), '1 d 1 h'],
    [countNoun(1, 'trial'), '1 trial'],
    [countNoun(2400, 'trial'), '2,400 trials'],
  ])('%j reads %j', (actual, expected) => {
    expect(actual).toBe(expected);
  });
});

describe('times', () => {
  const now = new Date('2026-11-21T12:00:00Z');
  it.each([
    ['2026-11-21T11:59:55Z', 'just now'],
    ['2026-11-21T11:59:20Z', '40 sec. ago'],
    ['2026-11-21T11:57:00Z', '3 min. ago'],
    ['2026-11-21T14:00:00Z', 'in 2 hr.'],
    ['2026-11-19T12:00:00Z', '2 days ago'],
  ])('%s is %s', (at, text) => {
    expect(relativeTime(new Date(at), now)).toBe(text);
  });
});

describe('CSV', () => {
  it('quotes what needs it', () => {
    expect(toCsv(['a', 'b'], [['x,"y"', 1]])).toBe('a,b\r\n"x,""y""",1\r\n');
  });

  it('defuses what a spreadsheet would run', () => {
    expect(toCsv(['n'], [['=HYPERLINK("x")'], ['@a'], [-5]])).toBe(
      'n\r\n"\'=HYPERLINK(""x"")"\r\n\'@a\r\n-5\r\n',
    );
  });
});

describe('paths of fields', () => {
  const at = (path: string) => ({ path, code: 'c', message: path });

  it('come in one spelling', () => {
    expect(['axes[0].values[2]', '/axes/0/values/2', '$.axes.0.values.2'].map(normalizePath)).toEqual(
      Array(3).fill('axes.0.values.2'),
    );
  });

  it('reach the field and what is inside it, not its neighbours', () => {
    const messages = [at('axes[1].values[0]'), at('axes[10]'), at('axes[1]')];
    expect(messagesAt(messages, 'axes.1').map(({ path }) => path)).toEqual(['axes[1].values[0]', 'axes[1]']);
    expect(messagesElsewhere(messages, ['axes.1']).map(({ path }) => path)).toEqual(['axes[10]']);
  });
});

describe('view state in the URL', () => {
  it('falls back where it is not understood', () => {
    expect(oneOf('x', ['a', 'b'], 'a')).toBe('a');
    expect(optionalText('')).toBeUndefined();
    expect(optionalText(5)).toBe('5');
    expect(textList(['a', 1])).toEqual(['a']);
    expect(numberRange([4, 1])).toBeUndefined();
    expect(numberRange([1, 4])).toEqual([1, 4]);
    expect(valueRecord({ a: 1, b: 'x', c: [] })).toEqual({ a: 1, b: 'x' });
    expect(oneOrMore('pipeline')).toEqual(['pipeline']);
    expect(oneOrMore(['a', 1])).toEqual(['a']);
    expect(valueRecord('x')).toBeUndefined();
  });
});

describe('problems', () => {
  it('keep what the api said', () => {
    const said = new RequestProblem({ code: 'plan_refused', status: 422, title: 'T', detail: 'D' });
    expect(toProblem(said)).toBe(said);
  });

  it('name a server that does not answer', () => {
    expect(toProblem(new TypeError('Failed to fetch'))).toMatchObject({ code: 'no_answer', status: 0 });
  });

  it('name a fault of the page', () => {
    expect(toProblem(new Error('x is undefined'))).toMatchObject({
      code: 'page_fault',
      detail: 'x is undefined',
    });
  });
});

describe('names', () => {
  it('of parameters are words', () => {
    expect(parameterTitle('value_size_bytes')).toBe('value size (B)');
    expect(describeParameters({ target: 'Redis', connections: 1, value_size_bytes: 1024 })).toBe(
      'Redis · 1 connection · value size 1,024 B',
    );
  });

  it('of one point among several leave out what all have in common', () => {
    const all = [1, 4].map((connections) => ({ target: 'Redis', connections, pipeline: 1 }));
    expect(describeAmong({ target: 'Redis', connections: 4, pipeline: 1 }, all)).toBe(
      'Redis · 4 connections',
    );
    expect(describeAmong({ target: 'Redis', connections: 4 }, all.slice(1))).toBe('Redis · 4 connections');
  });

  it('of files hold nothing a person slipped in', () => {
    expect(fileStem('<img src=x>', 'Throughput / s')).toBe('img-src-x-throughput-s');
    expect(fileStem('///')).toBe('loadstone');
  });

  it('of requests do not repeat', () => {
    expect(new Set(Array.from({ length: 100 }, requestId)).size).toBe(100);
  });
});
