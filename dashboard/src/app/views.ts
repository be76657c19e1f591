import {
  ArrowLeftRight,
  Gauge,
  Network as NetworkIcon,
  Table2,
  Workflow,
  type LucideIcon,
} from 'lucide-react';
import { lazy, type ComponentType } from 'react';
import type { ViewProps } from '../view.ts';

export interface ViewPlace {
  readonly label: string;
  readonly Icon: LucideIcon;
  readonly View: ComponentType<ViewProps>;
  readonly load: () => Promise<unknown>;
}

/** A view whose script is loaded when it is first shown, or a little after the page. */
function viewOf(
  label: string,
  Icon: LucideIcon,
  load: () => Promise<ComponentType<ViewProps>>,
): ViewPlace {
  return { label, Icon, View: lazy(async () => ({ default: await load() })), load };
}

/** By their names in the hash; the first one is shown where the hash names none. */
export const views: Readonly<Record<string, ViewPlace>> = {
  data: viewOf('Data', Table2, async () => (await import('../data/Data.tsx')).Data),
  requests: viewOf(
    'Requests',
    ArrowLeftRight,
    async () => (await import('../requests/Requests.tsx')).Requests,
  ),
  schema: viewOf('Schema', Workflow, async () => (await import('../schema/Schema.tsx')).Schema),
  network: viewOf(
    'Network',
    NetworkIcon,
    async () => (await import('../network/Network.tsx')).Network,
  ),
  overview: viewOf(
    'Overview',
    Gauge,
    async () => (await import('../overview/Overview.tsx')).Overview,
  ),
};
