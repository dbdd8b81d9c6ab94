import { Anchor } from '@mantine/core';
import type { ReactElement } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';

const PLUGINS = [remarkGfm];
const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" underline="always" inherit>
      {children}
    </Anchor>
  ),
  // A picture from elsewhere would tell its server who reads here; the page's policy forbids it anyway.
  img: ({ alt }) => <span>[{alt ?? 'picture'}]</span>,
};

/** What a person wrote. HTML in it stays text, addresses that run something are dropped, pictures are named only. */
export function Markdown({ text }: { readonly text: string }): ReactElement {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
