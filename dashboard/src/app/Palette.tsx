import '@mantine/spotlight/styles.css';
import './palette.css';
import { Spotlight } from '@mantine/spotlight';
import { Search } from 'lucide-react';
import type { JSX } from 'react';
import { focusAfterDialog } from '../focus.ts';
import { go } from '../route.ts';

interface PlaceToGo {
  readonly hash: string;
  readonly label: string;
}

interface Props {
  readonly views: readonly PlaceToGo[];
  readonly resources: readonly PlaceToGo[];
  readonly toggleScheme: () => void;
}

/** Leads to any view and resource by its name. */
export function Palette({ views, resources, toggleScheme }: Props): JSX.Element {
  const actionOf = ({
    hash,
    label,
  }: PlaceToGo): { id: string; label: string; onClick: () => void } => ({
    id: hash,
    label,
    onClick: () => {
      go(hash);
      focusAfterDialog(() => document.getElementById('main'));
    },
  });
  const theme = { id: 'theme', label: 'Light or dark colours', onClick: toggleScheme };
  return (
    <Spotlight
      actions={[
        { group: 'Views', actions: [...views.map(actionOf), theme] },
        { group: 'Resources', actions: resources.map(actionOf) },
      ]}
      shortcut={null}
      nothingFound="Nothing found"
      searchProps={{
        placeholder: 'Go to…',
        'aria-label': 'Go to',
        leftSection: <Search size={16} aria-hidden />,
      }}
      attributes={{ content: { 'aria-label': 'Go to' } }}
      // A blur of the whole page is dear where no graphics card does it.
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      scrollable
      maxHeight={420}
    />
  );
}
