import { notifications } from '@mantine/notifications';
import { toProblem } from '@/lib/problem';

const FAILURE_SHOWN_MS = 12_000;

/** What failed, why and its code, where there is no place for it on the page. */
export function showFailure(what: string, error: unknown): void {
  const problem = toProblem(error);
  notifications.show({
    color: 'red',
    title: what,
    message: `${problem.detail} (${problem.code})`,
    autoClose: FAILURE_SHOWN_MS,
    withBorder: true,
  });
}

export function showDone(message: string): void {
  notifications.show({ message, withBorder: true });
}
