import { describe, expect, it } from 'vitest';
import { isTilted, linesOf, nameHeight, shortened } from './name-lines';

describe('the names of an axis', () => {
  it('break into lines at spaces and hyphens', () => {
    expect(linesOf('memcached, memslap, same host', 80)).toEqual(['memcached,', 'memslap,', 'same host']);
    expect(linesOf('mysql-5.6-innodb', 80)).toEqual(['mysql-5.6-', 'innodb']);
    expect(linesOf('Redis', 20)).toEqual(['Redis']);
  });

  it('tilt where a word has no room, or too many lines are needed', () => {
    expect(isTilted(['Redis', 'memcached'], 100)).toBe(false);
    expect(isTilted(['Redis', 'memcached'], 40)).toBe(true);
    expect(isTilted(['a bb cc dd ee ff'], 25)).toBe(true);
  });

  it('keep both ends when they are shortened, and their height when they are short', () => {
    expect(shortened('memcached, over the network')).toBe('memcach… network');
    expect(shortened('Redis')).toBe('Redis');
    expect(nameHeight(['set', 'get'], 50)).toBeLessThan(nameHeight(['set and get'], 50));
    expect(nameHeight(['set and get'], 50)).toBeLessThan(nameHeight(['memcached'], 50));
  });
});
