import { useQuery } from '@tanstack/react-query';
import { askDashboard } from '../api.ts';
import type { NetworkData } from './settings.ts';

/** The simulated network; asked for again when the stream says that it was changed. */
export function useNetwork() {
  return useQuery({
    queryKey: ['network'],
    queryFn: () => askDashboard<NetworkData>('network'),
  });
}
