import { useQuery } from '@tanstack/react-query';
import type { RequestDetail } from '../../../../src/http/dashboard/wire.ts';
import { askDashboard } from '../../api.ts';

/** All that is known of one request; it does not change any more. */
export function useRequest(id: string) {
  return useQuery({
    queryKey: ['request', id],
    queryFn: () => askDashboard<RequestDetail>(`requests/${encodeURIComponent(id)}`),
    enabled: id !== '',
    staleTime: Infinity,
  });
}
