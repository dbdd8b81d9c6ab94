import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { RecipeDetail } from '@/features/recipes/RecipeDetail';

const route = getRouteApi('/inside/recipes/$slug');

export default function RecipePage(): ReactElement {
  const { slug } = route.useParams();
  const { size } = route.useSearch();
  const navigate = useNavigate();
  return (
    <RecipeDetail
      slug={slug}
      size={size}
      onSize={(next) => void navigate({ to: '/recipes/$slug', params: { slug }, search: { size: next } })}
      onStarted={(runId) => void navigate({ to: '/runs/$runId', params: { runId } })}
      onSchedule={(plan) => void navigate({ to: '/schedules', search: { edit: 'new', plan } })}
    />
  );
}
