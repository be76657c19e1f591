import './badge.css';
import { WifiOff } from 'lucide-react';
import type { JSX } from 'react';
import { hashOf } from '../route.ts';
import { useNetwork } from './data.ts';
import { simulatedAt, summaryOf } from './settings.ts';

/** Says in every view that the network is simulated, and leads to its settings. */
export function NetworkBadge(): JSX.Element | null {
  const { data } = useNetwork();
  if (data === undefined) return null;
  const at = simulatedAt(data);
  const [first] = at;
  if (first === undefined) return null;
  const line = data.resources.find(({ name }) => name === first) ?? data.overall;
  const where = first === 'all' ? '' : at.length === 1 ? `${first}: ` : `${at.length} resources`;
  const text = where.endsWith('resources') ? where : `${where}${summaryOf(line.settings)}`;
  return (
    <a
      className="network-badge"
      href={hashOf('network', first === 'all' ? '' : first)}
      title={text}
    >
      <WifiOff size={14} aria-hidden />
      <span className="name">Simulated: {text}</span>
    </a>
  );
}
