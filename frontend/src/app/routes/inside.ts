import { createRoute, redirect } from '@tanstack/react-router';
import { meQuery } from '@/api/session';
import { toProblem } from '@/lib/problem';
import { Shell } from '../Shell';
import { root } from './root';

/** Everything else needs a session. */
export const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: Shell,
  beforeLoad: async ({ context, location }) => {
    try {
      await context.queries.ensureQueryData(meQuery);
    } catch (error) {
      if (toProblem(error).status !== 401) throw error;
      const next = location.href === '/' ? undefined : location.href;
      throw redirect({ to: '/sign-in', search: { next } });
    }
  },
});
