import { MantineProvider } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Markdown } from './Markdown';

function show(text: string) {
  const { container } = render(
    <MantineProvider env="test">
      <Markdown text={text} />
    </MantineProvider>,
  );
  return container.querySelector('.markdown') as HTMLElement;
}

describe('Markdown', () => {
  it('draws headings, lists, tables and code', () => {
    const page = show('## What\n\n- one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n`x`');
    expect(screen.getByRole('heading', { name: 'What' })).toBeInTheDocument();
    expect(screen.getByRole('table')).toBeInTheDocument();
    expect(page.querySelector('code')).toHaveTextContent('x');
  });

  it.each([
    '<script>document.title = "run"</script>',
    '<img src=x onerror="document.title = \'run\'">',
    '<iframe src="javascript:alert(1)"></iframe>',
    '<svg onload=alert(1)>',
    '![a](x" onerror="alert(1))',
    '![tracked](https://example.org/pixel.png)',
    '<style>*{display:none}</style>',
  ])('leaves %s without effect', (hostile) => {
    const page = show(hostile);
    expect(page.querySelector('script, img, iframe, svg, style')).toBeNull();
    for (const one of page.querySelectorAll('*')) {
      expect([...one.attributes].filter(({ name }) => name.startsWith('on'))).toEqual([]);
    }
  });

  it.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,<script>1</script>', 'vbscript:x'])(
    'drops a link to %s',
    (address) => {
      const page = show(`[click](${address})`);
      expect(page.querySelector('a')?.getAttribute('href') ?? '').not.toMatch(/script|data/i);
    },
  );

  it('opens links elsewhere, telling nothing of this page', () => {
    show('[docs](https://example.org/a)');
    expect(screen.getByRole('link', { name: 'docs' })).toHaveAttribute('rel', 'noopener noreferrer nofollow');
  });
});
