import { useQuery } from '@tanstack/react-query';
import type { Model } from '../../src/http/dashboard/wire-model.ts';
import { askDashboard } from './api.ts';

/** The model of a version; the default one where none is named. It is asked for again when the stream says so. */
export function useModel(version?: string) {
  return useQuery({
    queryKey: ['model', version ?? ''],
    queryFn: () =>
      askDashboard<Model>(version === undefined ? 'model' : `model?version=${version}`),
    staleTime: Infinity,
  });
}
