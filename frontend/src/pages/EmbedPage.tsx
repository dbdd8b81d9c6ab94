import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { LinkLoader } from '@/features/link/LinkLoader';
import { SharedSubject } from './SharedSubject';

const route = getRouteApi('/embed/$token');

/** The charts of a link, for a frame on another site. */
export default function EmbedPage(): ReactElement {
  const { token } = route.useParams();
  return (
    <main className="embed-page">
      <LinkLoader key={token} token={token}>
        {(link) => <SharedSubject link={link} isEmbedded />}
      </LinkLoader>
    </main>
  );
}
