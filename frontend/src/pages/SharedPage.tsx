import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { LinkFrame } from '@/features/link/LinkFrame';
import { LinkLoader } from '@/features/link/LinkLoader';
import { SharedSubject } from './SharedSubject';

const route = getRouteApi('/s/$token');

/** What a link shows, as it was seen by whoever made it. */
export default function SharedPage(): ReactElement {
  const { token } = route.useParams();
  return (
    <main className="link-page">
      <LinkLoader key={token} token={token}>
        {(link) => (
          <LinkFrame link={link}>
            <SharedSubject link={link} isEmbedded={false} />
          </LinkFrame>
        )}
      </LinkLoader>
    </main>
  );
}
