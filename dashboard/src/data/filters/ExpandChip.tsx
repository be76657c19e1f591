import { GitFork } from 'lucide-react';
import { useState, type JSX } from 'react';
import { withExpansions } from '../query.ts';
import { Chip } from './Chip.tsx';
import type { ExpandProps } from './editors/ExpandEditor.tsx';
import { editors } from './editors/loaded.ts';

/** Which related records come along. */
export function ExpandChip(props: ExpandProps): JSX.Element | null {
  const { model, resource, query, asked } = props;
  const [isOpen, setOpen] = useState(false);
  const { ExpandEditor } = editors() ?? {};
  const { expand } = query;
  if (resource.relations.length === 0) return null;
  return (
    <Chip
      name={expand.length === 0 ? 'Expand' : `Expand: with ${expand.join(', ')}`}
      label={expand.length === 0 ? 'Expand' : `with ${expand.join(', ')}`}
      icon={<GitFork size={14} aria-hidden />}
      isSet={expand.length > 0}
      isOpen={isOpen}
      setOpen={setOpen}
      remove={
        expand.length === 0 ? undefined : () => asked(withExpansions(query, [], resource, model))
      }
      width={380}
    >
      {ExpandEditor === undefined ? null : <ExpandEditor {...props} />}
    </Chip>
  );
}
