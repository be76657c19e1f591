import { api } from '../../../server';

const answer = async (request: Request): Promise<Response> =>
  (await api()).fetch(request, { mountedAt: '/api' });

export { answer as GET, answer as POST, answer as PUT, answer as PATCH, answer as DELETE };
