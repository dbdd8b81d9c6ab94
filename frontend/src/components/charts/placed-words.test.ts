import { describe, expect, it } from 'vitest';
import { placedWords, rowsOf } from './placed-words';

const AREA = { x: 0, y: 0, width: 300, height: 200 };
const knee = (x: number, y: number) => ({ word: 'knee', x, y });

describe('words beside points', () => {
  it('stand above, and step aside for each other', () => {
    const placed = placedWords([knee(100, 100), knee(104, 101), knee(102, 99)], AREA);
    expect(placed.map(({ wordY }) => wordY)).toEqual([86, 123, 103]);
    expect(placed[2]?.wordX).toBe(102 + 26);
  });

  it('stay within the plot', () => {
    expect(placedWords([knee(100, 8)], AREA)[0]?.wordY).toBe(30);
    expect(placedWords([knee(4, 100)], AREA)[0]?.wordX).toBe(30);
  });

  it('are left out where there is no room: the ring says enough', () => {
    const crowd = Array.from({ length: 5 }, () => knee(100, 100));
    expect(placedWords(crowd, AREA)[4]?.wordX).toBeNull();
  });
});

describe('words along an axis', () => {
  it('stand in the first row that has room, and nowhere when all are full', () => {
    const words = [0, 10, 20, 30, 60].map((from) => ({ from, to: from + 50 }));
    expect(rowsOf(words, 3)).toEqual([0, 1, 2, null, 0]);
  });
});
