import { describe, expect, it } from 'vitest';
import { apiPath, linkToken } from './link';

describe('what a link opens', () => {
  it.each([
    ['/s/lsh_abc', 'lsh_abc'],
    ['/embed/lsh_abc', 'lsh_abc'],
    ['/s/lsh_abc/', 'lsh_abc'],
    ['/runs/s/lsh_abc', null],
    ['/settings', null],
    ['/', null],
  ])('%s holds %s', (pathname, token) => {
    expect(linkToken(pathname)).toBe(token);
  });

  it('reads below the link whatever the pages read elsewhere', () => {
    expect(apiPath('/api/v1/runs/1/points?x=1', 'lsh_a')).toBe('/api/v1/shared/lsh_a/runs/1/points?x=1');
  });

  it('leaves everything as it is without a link, and what lies below one already', () => {
    expect(apiPath('/api/v1/runs', null)).toBe('/api/v1/runs');
    expect(apiPath('/api/v1/shared/lsh_a/unlock', 'lsh_a')).toBe('/api/v1/shared/lsh_a/unlock');
    expect(apiPath('/assets/x.js', 'lsh_a')).toBe('/assets/x.js');
  });
});
