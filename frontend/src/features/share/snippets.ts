/** What is pasted elsewhere to show a link there. Pure. */
import type { CreatedShare } from '@/api/shares';

export interface Snippet {
  readonly label: string;
  readonly value: string;
}

export function snippets({ addresses, title }: Pick<CreatedShare, 'addresses' | 'title'>): Snippet[] {
  const { page, embed, chart_svg, badge } = addresses;
  const named = [{ label: 'Frame for a web page or wiki', value: frame(embed, title) }];
  if (chart_svg) named.push({ label: 'Picture in Markdown', value: picture(title, chart_svg, page) });
  if (badge) named.push({ label: 'Badge in Markdown', value: picture(title, badge, page) });
  return named;
}

function frame(address: string, title: string): string {
  return `<iframe src="${address}" title="${escapeAttribute(title)}" width="800" height="520" loading="lazy" style="border:0"></iframe>`;
}

function picture(title: string, source: string, page: string): string {
  return `[![${escapeMarkdown(title)}](${source})](${page})`;
}

function escapeAttribute(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\[\]()<>*_`!]/g, (sign) => `\\${sign}`).replaceAll(/\s+/g, ' ');
}
