import { Anchor } from '@mantine/core';
import { ArrowUpRight } from 'lucide-react';
import { Fragment, type JSX } from 'react';
import type {
  Model,
  RelationInfo,
  ResourceInfo,
} from '../../../../src/http/dashboard/wire-model.ts';
import { hashOf } from '../../route.ts';
import { brief, shown, visible } from '../../words.ts';
import { queryFor } from '../query.ts';
import { memberOf, type ApiRecord } from '../record/draft.ts';
import { labelBy, labelFields } from '../record/label-fields.ts';
import type { Labels } from '../record/labels.ts';
import { isRecord, linkOf, membersOf, nameOf, recordAt } from '../record/related.ts';
import type { Column } from './columns.ts';

export interface CellProps {
  readonly column: Column;
  readonly record: ApiRecord;
  readonly resource: ResourceInfo;
  readonly model: Model;
  readonly labels: Labels;
  readonly place: (name: string) => string;
}

/** A value as a cell shows it: null and empty told apart, keys by the name of their record, JSON in one line. */
export function Cell(props: CellProps): JSX.Element | null {
  const { column, record, labels, place } = props;
  const { name, field, relation } = column;
  const value = memberOf(record, name);
  if (value === undefined) return null;
  if (value === null) return <span className="faint">null</span>;
  if (value === '') return <span className="faint">empty</span>;
  if (relation !== undefined) return <Related {...props} />;
  if (Array.isArray(value) && value.length === 0) return <span className="faint">[ ]</span>;
  if (typeof value === 'object') return <code className="folded">{brief(shown(value))}</code>;
  if (field?.reference !== undefined) {
    const { reference } = field;
    const label = labels(reference, value);
    return (
      <Leading
        to={hashOf('data', place(reference.resource), queryFor(reference.field, value))}
        title={`The record of ${reference.resource}`}
        text={label ?? shown(value)}
        id={label === undefined ? undefined : shown(value)}
      />
    );
  }
  if (typeof value === 'string' && field?.type === 'datetime')
    return <>{visible(value.replace('T', ' ').replace(/(?::00)?(?:\.0+)?Z$/u, ''))}</>;
  if (field !== undefined && field.values !== null)
    return <span className="tag">{brief(shown(value))}</span>;
  return <>{brief(shown(value))}</>;
}

/** How many related records a cell names. */
const named = 5;

function Related({ column, record, resource, model, place }: CellProps): JSX.Element | null {
  const { name, relation } = column;
  const value = memberOf(record, name);
  if (relation === undefined) return null;
  const leading = (one: unknown, index?: number): JSX.Element => {
    const id = isRecord(one) ? memberOf(one, 'id') : one;
    const pivot = isRecord(one) ? memberOf(one, 'pivot') : undefined;
    return (
      <Fragment key={index}>
        <Leading
          to={recordAt(relation, record, id, place)}
          title={brief(shown(one))}
          text={brief(isRecord(one) ? relatedName(one, relation, model) : shown(one))}
        />
        {isRecord(pivot) ? <span className="quiet">{brief(membersOf(pivot))}</span> : null}
      </Fragment>
    );
  };
  if (!Array.isArray(value)) return leading(value);
  const items = value.filter(isRecord);
  if (items.length === 0) return <span className="faint">none</span>;
  const all = totalOf(record, relation.name) ?? items.length;
  const to = linkOf(relation, resource, record, place);
  return (
    <span className="items">
      {to === undefined ? (
        <span className="count">{all.toLocaleString()}</span>
      ) : (
        <Anchor
          href={to}
          tabIndex={-1}
          className="count"
          aria-label={`All ${all.toLocaleString()} of ${relation.name}`}
        >
          {all.toLocaleString()}
        </Anchor>
      )}
      {items.slice(0, named).map(leading)}
      {all > named ? (
        <span className="quiet">and {(all - named).toLocaleString()} more</span>
      ) : null}
    </span>
  );
}

/** What a related record is called; its id where nothing says it. */
function relatedName(one: ApiRecord, { targets }: RelationInfo, { resources }: Model): string {
  const known = nameOf(one);
  if (known !== undefined) return visible(known);
  const [only] = targets;
  const target = targets.length === 1 ? resources.find(({ name }) => name === only) : undefined;
  const label = target === undefined ? '' : labelBy(labelFields(target), one);
  return label === '' ? visible(`#${String(memberOf(one, 'id'))}`) : label;
}

/** How many records an expanded collection has in all, where the answer has only some of them. */
function totalOf(record: ApiRecord, name: string): number | undefined {
  const pages = record['_pagination'] as Readonly<Record<string, { total: number }>> | undefined;
  return pages?.[name]?.total;
}

interface LeadingProps {
  /** Undefined: nowhere. */
  readonly to: string | undefined;
  readonly title?: string;
  readonly text: string;
  /** Beside what it is called. */
  readonly id?: string | undefined;
}

function Leading({ to, title, text, id }: LeadingProps): JSX.Element {
  if (to === undefined) return <>{text}</>;
  return (
    <span className="leading">
      {id === undefined ? null : <span className="faint">{id}</span>}
      <Anchor href={to} title={title} tabIndex={-1} className="name">
        {text}
      </Anchor>
      <ArrowUpRight size={12} aria-hidden className="arrow" />
    </span>
  );
}
