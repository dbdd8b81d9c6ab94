import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { meQuery } from '@/api/session';
import { leaveTeam } from '@/api/team';
import { ConfirmDialog } from '@/components/ConfirmDialog';
import { showFailure } from '@/components/notices';

export function LeaveTeam(): ReactElement | null {
  const { data: me } = useQuery(meQuery);
  const [isAsking, asking] = useDisclosure(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const leave = useMutation({
    mutationFn: leaveTeam,
    onSuccess: async () => {
      queries.clear();
      await navigate({ to: '/sign-in' });
    },
    onError: (error) => {
      asking.close();
      showFailure('You could not leave the team', error);
    },
  });
  if (!me) return null;
  const teamName = me.team.name;
  return (
    <>
      <Button variant="default" onClick={asking.open}>
        Leave {teamName}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Leave ${teamName}?`}
        confirmLabel="Leave the team"
        isBusy={leave.isPending}
        onConfirm={() => leave.mutate()}
        onClose={asking.close}
      >
        Your sessions and personal tokens in this team end. What you made stays. Only an invitation brings you
        back.
      </ConfirmDialog>
    </>
  );
}
