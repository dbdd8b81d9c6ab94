import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, vi } from 'vitest';

afterEach(cleanup);
// The first test of a page also loads its chunk, on a machine that may be busy.
configure({ asyncUtilTimeout: 10_000 });

// What jsdom lacks and the component kit asks for.
window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: vi.fn(),
    removeEventListener: vi.fn(),
    addListener: vi.fn(),
    removeListener: vi.fn(),
    dispatchEvent: vi.fn(),
  }) as MediaQueryList;
window.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView ??= () => undefined;
const plain = Element.prototype.getBoundingClientRect;
// Charts are drawn at a size; only their container is given one, or the legend would eat the plot.
Element.prototype.getBoundingClientRect = function measured(this: Element) {
  if (!this.classList.contains('recharts-responsive-container')) return plain.call(this);
  return new DOMRect(0, 0, 800, 300);
};
Object.defineProperty(document, 'fonts', { value: new EventTarget(), configurable: true });
window.scrollTo = () => undefined;
