import { ActionIcon, Button, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconMaximize, IconPencil, IconPin, IconPinFilled, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { contentOf, type Dashboard, deleteDashboard, saveDashboard } from '@/api/dashboards';
import { useMay } from '@/api/use-may';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { showFailure } from '@/components/notices';
import { PageHeader } from '@/components/PageHeader';
import { RelativeTime } from '@/components/RelativeTime';
import { formatDuration } from '@/lib/format';
import { VersionsDialog } from './VersionsDialog';

interface DashboardHeaderProps {
  readonly dashboard: Dashboard;
  readonly actions?: ReactNode;
  readonly refreshedAt: Date;
  readonly onRefresh: () => void;
  readonly onEdit: () => void;
  readonly onFullScreen: () => void;
}

export function DashboardHeader(props: DashboardHeaderProps): ReactElement {
  const mayEdit = useMay('editor');
  const { dashboard } = props;
  const every = dashboard.refresh_s === null ? '' : `, every ${formatDuration(dashboard.refresh_s)}`;
  return (
    <PageHeader
      title={dashboard.name}
      aside={
        <Text size="xs" c="dimmed">
          read <RelativeTime at={props.refreshedAt.toISOString()} />
          {every}
        </Text>
      }
      actions={
        <>
          {mayEdit && <PinButton dashboard={dashboard} />}
          <ActionIcon variant="default" size="lg" aria-label="Read the panels anew" onClick={props.onRefresh}>
            <IconRefresh size={17} />
          </ActionIcon>
          <ActionIcon variant="default" size="lg" aria-label="Full screen" onClick={props.onFullScreen}>
            <IconMaximize size={17} />
          </ActionIcon>
          {props.actions}
          {mayEdit && (
            <>
              <Button leftSection={<IconPencil size={15} aria-hidden="true" />} onClick={props.onEdit}>
                Edit
              </Button>
              <MoreMenu dashboard={dashboard} />
            </>
          )}
        </>
      }
    />
  );
}

function PinButton({ dashboard }: { readonly dashboard: Dashboard }): ReactElement {
  const queries = useQueryClient();
  const pin = useMutation({
    mutationFn: () =>
      saveDashboard(dashboard.id, dashboard.version, {
        ...contentOf(dashboard),
        is_pinned: !dashboard.is_pinned,
      }),
    onError: (error) => showFailure('The pin was not changed', error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['dashboards'] }),
  });
  const Glyph = dashboard.is_pinned ? IconPinFilled : IconPin;
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-pressed={dashboard.is_pinned}
      aria-label="Pinned to the team’s home page"
      title={dashboard.is_pinned ? 'Take it from the home page' : 'Pin it to the home page'}
      loading={pin.isPending}
      onClick={() => pin.mutate()}
    >
      <Glyph size={17} />
    </ActionIcon>
  );
}

function MoreMenu({ dashboard }: { readonly dashboard: Dashboard }): ReactElement {
  const [isDeleting, deleting] = useDisclosure(false);
  const [isLooking, looking] = useDisclosure(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteDashboard(dashboard.id),
    onSuccess: async () => {
      await navigate({ to: '/dashboards' });
      await queries.invalidateQueries({ queryKey: ['dashboards'] });
    },
    onError: (error) => showFailure('The dashboard could not be deleted', error),
  });
  return (
    <Group>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label="More">
            <IconDots size={17} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={looking.open}>Earlier versions</Menu.Item>
          <Menu.Item color="red" onClick={deleting.open}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ConfirmDialog
        isOpen={isDeleting}
        title={`Delete “${dashboard.name}”?`}
        confirmLabel="Delete the dashboard"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={deleting.close}
      >
        Its {dashboard.panel_count} panels go for the whole team. Trends, runs and comparisons stay.
      </ConfirmDialog>
      <VersionsDialog dashboard={dashboard} isOpen={isLooking} onClose={looking.close} />
    </Group>
  );
}
