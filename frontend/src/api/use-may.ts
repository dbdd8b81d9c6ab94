import { useQuery } from '@tanstack/react-query';
import { isVisitor } from '@/lib/link';
import { type Me, meQuery } from './session';

type Role = Me['role'];
const RANKS: Record<Role, number> = { viewer: 0, editor: 1, admin: 2 };

/** Whether to offer what needs `role`: the api refuses it anyway, a button that cannot work only misleads. */
export function useMay(role: Role): boolean {
  const isOutside = isVisitor();
  const { data: me } = useQuery({ ...meQuery, enabled: !isOutside });
  return !isOutside && me !== undefined && RANKS[me.role] >= RANKS[role];
}
