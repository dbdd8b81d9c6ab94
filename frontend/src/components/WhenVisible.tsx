import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';

interface WhenVisibleProps {
  /** The height that is kept free until then. */
  readonly minHeight: number;
  readonly children: () => ReactNode;
}

/** Nearly on the screen is near enough to begin. */
const MARGIN = '400px';

/** Mounts its children when they are about to be seen, and keeps them. */
export function WhenVisible({ minHeight, children }: WhenVisibleProps): ReactElement {
  const [isSeen, setSeen] = useState(typeof IntersectionObserver === 'undefined');
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSeen || !place.current) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: MARGIN },
    );
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return (
    <div ref={place} style={isSeen ? undefined : { minHeight }}>
      {isSeen && children()}
    </div>
  );
}
