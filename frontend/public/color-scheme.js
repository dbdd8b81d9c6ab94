// Runs before the first paint, so that a dark page never flashes white. A file of its own: the page allows no inline scripts.
(() => {
  const chosen = localStorage.getItem('mantine-color-scheme-value') || 'auto';
  const isDark =
    chosen === 'dark' || (chosen === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
})();
