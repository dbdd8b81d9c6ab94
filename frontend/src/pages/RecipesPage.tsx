import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '@/components/PageHeader';
import { RecipeGallery } from '@/features/recipes/RecipeGallery';

const route = getRouteApi('/inside/recipes');

export default function RecipesPage(): ReactElement {
  const { q } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader title="Recipes" />
      <RecipeGallery q={q} onQ={(next) => void navigate({ search: { q: next }, replace: true })} />
    </>
  );
}
