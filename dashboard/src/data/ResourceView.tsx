import { Alert, Anchor, Button, Loader, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useCallback, useMemo, useRef, useState, type JSX } from 'react';
import { Refusal } from '../api.ts';
import type { FieldInfo, Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { focusAfterDialog } from '../focus.ts';
import { go, hashOf } from '../route.ts';
import { counted, indented, milliseconds, visible } from '../words.ts';
import { DataHead, type Shape } from './DataHead.tsx';
import { ColumnsChip } from './filters/ColumnsChip.tsx';
import { ExpandChip } from './filters/ExpandChip.tsx';
import { FilterChips } from './filters/FilterChips.tsx';
import { loadEditors } from './filters/editors/loaded.ts';
import { PageChip } from './filters/PageChip.tsx';
import { SearchBox } from './filters/SearchBox.tsx';
import { SortChip } from './filters/SortChip.tsx';
import { columnNames, columnsOf, useArrangement } from './grid/columns.ts';
import { Grid } from './grid/Grid.tsx';
import type { CopyFormat } from './grid/GridMenu.tsx';
import { useRows } from './grid/rows.ts';
import { countOf, isSelected, noSelection, type Selection } from './grid/selection.ts';
import { asksGroups, groupParameters, groupSorts } from './group-query.ts';
import {
  cellText,
  conditionOn,
  filtersOf,
  firstKey,
  offeredNames,
  orderOf,
  pagingNames,
} from './list-parts.ts';
import { placeOf } from './place.ts';
import { Problem } from './Problem.tsx';
import { readQuery, recordsOnly, writeQuery, type ListQuery } from './query.ts';
import { memberOf, type ApiRecord } from './record/draft.ts';
import { useChanges, writeField, type Chosen, type Target } from './write/changes.ts';
import type { ExportFormat } from './write/ExportMenu.tsx';
import { UrlLine } from './UrlLine.tsx';

const RecordPanel = lazy(async () => ({
  default: (await import('./record/RecordPanel.tsx')).RecordPanel,
}));
const Paging = lazy(async () => ({ default: (await import('./Paging.tsx')).Paging }));
const Summary = lazy(async () => ({ default: (await import('./Summary.tsx')).Summary }));
const SelectionBar = lazy(async () => ({
  default: (await import('./write/SelectionBar.tsx')).SelectionBar,
}));
const ImportDialog = lazy(async () => ({
  default: (await import('./write/ImportDialog.tsx')).ImportDialog,
}));
const DeleteDialog = lazy(async () => ({
  default: (await import('./write/Dialogs.tsx')).DeleteDialog,
}));
const ChangeDialog = lazy(async () => ({
  default: (await import('./write/Dialogs.tsx')).ChangeDialog,
}));

/** A record beside the list. */
export interface Opened {
  /** Undefined: a new record. */
  readonly id: string | undefined;
}

interface Props {
  readonly model: Model;
  /** Of the default version. */
  readonly latest: Model;
  readonly resource: ResourceInfo;
  readonly search: string;
  /** What is opened beside the list. */
  readonly opened: Opened | undefined;
  readonly mayChange: boolean;
  readonly place: (name: string) => string;
  readonly toVersion: (version: string | undefined) => void;
  /** Undefined: a new record; empty: none. */
  readonly open: (id: string | undefined, replaces?: boolean) => void;
}

interface Dialog {
  readonly kind: 'delete' | 'change' | 'import';
  /** Undefined: what is selected. */
  readonly chosen: Chosen;
}

/** The records of a resource: a toolbar of chips, the URL below it, the grid, and a record beside it. */
export function ResourceView(props: Props): JSX.Element {
  const { model, latest, resource, search, opened, mayChange, place, toVersion, open } = props;
  const client = useQueryClient();
  const changes = useChanges();
  const { made, say } = changes;
  const [arrangement, arrange] = useArrangement(model.name, resource.name);
  const [selection, select] = useState<Selection>(noSelection);
  const [begun, setBegun] = useState<string>();
  const [isJson, setJson] = useState(false);
  const [dialog, setDialog] = useState<Dialog>();
  const [template, setTemplate] = useState<ApiRecord>();
  const [inSight, setInSight] = useState({ first: 0, last: 0 });
  const seen = useCallback(
    (first: number, last: number) =>
      setInSight((now) => (now.first === first && now.last === last ? now : { first, last })),
    [],
  );
  const grid = useRef<HTMLDivElement>(null);
  const target = useMemo<Target>(() => ({ model, resource }), [model, resource]);

  const query = useMemo(() => readQuery(search, resource, model), [search, resource, model]);
  const path = `${model.path}/${resource.name}`;
  const url = search === '' ? path : `${path}?${search}`;
  const may = (operation: string): boolean => mayChange && resource.operations.includes(operation);
  const mayRead = resource.operations.includes('read');
  const shape: Shape = asksGroups(query) ? 'groups' : isJson ? 'json' : 'grid';
  const isPaged =
    shape === 'json' ||
    query.page !== undefined ||
    query.limit !== undefined ||
    query.others.some(([name]) => pagingNames.has(name));
  const rows = useRows({
    url,
    isPaged,
    maxLimit: model.limits.maxLimit,
    ...inSight,
    isEnabled: mayRead && shape !== 'groups',
  });
  const total = Number(rows.answer?.headers.get('x-total-count') ?? rows.count);
  const isChosen = query.fields.length + query.exclude.length > 0;
  const sample = rows.loaded[0];
  const names = useMemo(
    () => columnNames(resource, query.expand, rows.loaded.slice(0, 20), isChosen),
    // All rows have the members of the first one.
    // oxlint-disable-next-line react/exhaustive-deps
    [resource, query.expand, isChosen, sample],
  );
  const columns = useMemo(
    () => columnsOf(names, resource, arrangement),
    [names, resource, arrangement],
  );

  const change = (next: ListQuery): void => {
    setBegun(undefined);
    go(hashOf('data', place(resource.name), writeQuery(next, resource, model)));
  };
  /** Another question begins at its first page again, with nothing selected. */
  const askFor = (next: Partial<ListQuery>): void => {
    select(noSelection);
    change({
      ...query,
      page: undefined,
      others: query.others.filter(([name]) => name !== 'cursor'),
      ...next,
    });
  };
  const setShape = (next: Shape): void => {
    setJson(next === 'json');
    const others = query.others.filter(([name]) => !groupParameters.has(name));
    if (next === 'groups' && shape !== 'groups')
      change({
        ...recordsOnly(query, resource, model),
        sort: ['-count'],
        nulls: undefined,
        fields: [],
        exclude: [],
        others: [...others, ['group', firstKey(resource)], ['aggregate', 'count']],
      });
    else if (next !== 'groups' && shape === 'groups') change({ ...query, sort: [], others });
  };

  const filters = useMemo(() => filtersOf(query, resource, model), [query, resource, model]);
  const chosen: Chosen =
    selection.kind === 'all'
      ? { ids: undefined, search: filters, count: total }
      : { ids: [...selection.ids], search: filters, count: selection.ids.size };
  const order = useMemo(() => orderOf(query, resource, model), [query, resource, model]);
  const copy = (text: string, what: string): void =>
    void navigator.clipboard.writeText(text).then(
      () => say({ text: `Copied ${what}` }),
      () => say({ text: 'The browser does not let this page copy', isWrong: true }),
    );
  const exportAs = async (which: Chosen, format: ExportFormat): Promise<void> => {
    const words = counted(which.count, 'record');
    try {
      const { exportRecords } = await import('./write/exports.ts');
      await exportRecords(target, which, order, format);
      say({ text: `Exported ${words} as ${format.toUpperCase()}` });
    } catch (error) {
      say({ text: `Not exported: ${error instanceof Error ? error.message : ''}`, isWrong: true });
    }
  };
  const copyRecords = async (
    records: readonly ApiRecord[],
    format: CopyFormat,
    what: string,
    own = '',
  ): Promise<void> => {
    const { copied } = await import('./write/copy.ts');
    const names = columns.map(({ name }) => name);
    copy(copied(records, format, names, target, own), what);
  };
  const copySelected = async (format: CopyFormat): Promise<void> => {
    const words = counted(chosen.count, 'record');
    const own = chosen.ids === undefined ? filters : `id_in=${chosen.ids.join(',')}`;
    const known = rows.loaded.filter((one) => isSelected(selection, one));
    try {
      const { readRecords } = await import('./write/exports.ts');
      const isKnown = format === 'curl' || known.length === chosen.count;
      const records = isKnown ? known : await readRecords(target, chosen, order);
      await copyRecords(records, format, words, own);
    } catch (error) {
      say({ text: `Not copied: ${error instanceof Error ? error.message : ''}`, isWrong: true });
    }
  };
  const duplicate = useCallback(
    (record: ApiRecord): void => {
      const fields = resource.fields.filter(
        ({ isCreatable, name }) => isCreatable && name !== 'id',
      );
      setTemplate(
        Object.fromEntries(
          fields.flatMap(({ name }) => {
            const value = memberOf(record, name);
            return value === undefined ? [] : [[name, value] as const];
          }),
        ),
      );
      open(undefined);
    },
    [open, resource],
  );
  const clear = async (record: ApiRecord, field: FieldInfo | undefined): Promise<void> => {
    if (field === undefined) return;
    const refusal = await writeField(target, record, field, null, false, made);
    if (refusal?.kind === 'wrong') say({ text: refusal.message, isWrong: true });
    if (refusal?.kind === 'changed') say({ text: 'It was changed meanwhile', isWrong: true });
  };
  const beginFilter = async (name: string): Promise<void> => {
    await loadEditors();
    setBegun(name);
  };
  const reload = (): void =>
    void client.invalidateQueries({ queryKey: [shape === 'groups' ? 'groups' : 'list'] });
  const focusGrid = (): void =>
    focusAfterDialog(() => grid.current?.querySelector<HTMLElement>('[role="grid"]'));
  const closeDialog = (): void => {
    setDialog(undefined);
    focusGrid();
  };
  const error = rows.error;
  const isGone = error instanceof Refusal && error.code === 'GONE';
  const hasAny = filters !== '' || query.conditions.length > 0;
  const hasNoRows = rows.answer === undefined || shape === 'groups';
  const isFootEmpty = hasNoRows && changes.message === undefined;
  const isRecordShown = opened !== undefined && (opened.id !== undefined || may('create'));

  return (
    <section className="data" aria-label={resource.name}>
      <DataHead
        model={model}
        resource={resource}
        undo={mayChange ? changes : undefined}
        toVersion={toVersion}
        shape={shape}
        setShape={setShape}
        importFile={may('create') ? () => setDialog({ kind: 'import', chosen }) : undefined}
        exportAs={
          mayRead
            ? (format) => void exportAs({ ids: undefined, search: filters, count: total }, format)
            : undefined
        }
        create={
          may('create')
            ? () => {
                setTemplate(undefined);
                open(undefined);
              }
            : undefined
        }
      />
      <div className="toolbar" role="toolbar" aria-label="List">
        <div className="chips">
          <FilterChips
            model={model}
            resource={resource}
            query={query}
            begun={begun}
            ended={() => setBegun(undefined)}
            changed={askFor}
          />
          <SortChip
            sorts={shape === 'groups' ? groupSorts(query) : resource.sorts}
            value={query.sort}
            nulls={query.nulls}
            changed={askFor}
          />
          {shape === 'groups' ? null : (
            <>
              <ColumnsChip
                names={names}
                offered={offeredNames(resource)}
                arrangement={arrangement}
                arrange={arrange}
                fields={query.fields}
                exclude={query.exclude}
                changed={askFor}
              />
              <ExpandChip
                model={model}
                resource={resource}
                query={query}
                asked={askFor}
                changed={change}
              />
            </>
          )}
          <PageChip
            value={query.limit}
            max={model.limits.maxLimit}
            changed={(limit) => askFor({ limit })}
          />
        </div>
        <SearchBox value={query.search} changed={(words) => askFor({ search: words })} />
      </div>
      <UrlLine
        url={url}
        request={{ method: 'GET', path, query: search, requestHeaders: {}, requestBody: null }}
        isFetching={rows.isFetching}
        send={reload}
        changed={(text) => {
          const found = placeOf(text, location.origin, model, latest);
          if (found === undefined)
            return `It begins with ${model.path}/ and the name of a resource.`;
          go(hashOf('data', found.part, found.search));
          return undefined;
        }}
      />
      <div className="data-body" ref={grid}>
        <div className="data-list">
          {mayRead ? null : (
            <Alert color="gray" m="sm">
              You may not read these records.
            </Alert>
          )}
          {error === null || shape === 'groups' ? null : <Problem error={error} again={reload} />}
          {shape === 'groups' ? (
            <Suspense fallback={<Loader aria-label="Loading" m="md" />}>
              <Summary
                model={model}
                resource={resource}
                query={query}
                url={url}
                changed={(others) =>
                  askFor({
                    others,
                    sort: query.sort.filter((one) =>
                      groupSorts({ ...query, others }).includes(one.replace(/^-/u, '')),
                    ),
                  })
                }
              />
            </Suspense>
          ) : rows.answer === undefined || (error !== null && !isGone) ? (
            error === null && mayRead ? (
              <Loader aria-label="Loading" m="md" />
            ) : null
          ) : shape === 'json' ? (
            <pre className="block whole" tabIndex={0} aria-label="Answer">
              {rows.answer.body === undefined
                ? visible(rows.answer.text)
                : indented(rows.answer.body)}
            </pre>
          ) : rows.count === 0 ? (
            <div className="no-records">
              <Text>
                {hasAny || query.page !== undefined
                  ? 'No record fits.'
                  : 'There are no records yet.'}
              </Text>
              {hasAny ? (
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => askFor({ conditions: [], groups: [], search: '', others: [] })}
                >
                  Clear the filters
                </Button>
              ) : may('create') ? (
                <Button size="xs" variant="default" onClick={() => open(undefined)}>
                  Create the first one
                </Button>
              ) : null}
            </div>
          ) : (
            <Grid
              model={model}
              resource={resource}
              rows={rows}
              columns={columns}
              sort={query.sort}
              selection={selection}
              select={select}
              opened={opened?.id}
              mayEdit={may('update')}
              place={place}
              seen={seen}
              undo={() => void changes.undo()}
              reload={reload}
              write={(record, field, value, isForced) =>
                writeField(target, record, field, value, isForced, made)
              }
              columnActions={{
                sort: (name, direction) =>
                  askFor({
                    sort:
                      direction === undefined
                        ? query.sort.filter((one) => one.replace(/^-/u, '') !== name)
                        : [direction === 'desc' ? `-${name}` : name],
                  }),
                resize: (widths) => arrange({ widths: { ...arrangement.widths, ...widths } }),
                pin: (name, isPinned) =>
                  arrange({
                    pinned: isPinned
                      ? [...arrangement.pinned, name]
                      : arrangement.pinned.filter((one) => one !== name),
                  }),
                hide: (name) => arrange({ hidden: [...arrangement.hidden, name] }),
                filter: (name) => void beginFilter(name),
              }}
              rowActions={{
                open: (record) => open(String(record['id'])),
                copyCell: (record, column) => copy(cellText(record, column), column.name),
                copyRow: (record, format) =>
                  void copyRecords([record], format, `record ${String(record['id'])}`),
                filterBy: (column, value, isNegated) =>
                  askFor({
                    conditions: [...query.conditions, conditionOn(column.name, value, isNegated)],
                  }),
                clear: may('update')
                  ? (record, column) => void clear(record, column.field)
                  : undefined,
                duplicate: may('create') ? duplicate : undefined,
                remove: may('delete')
                  ? (record) =>
                      setDialog({
                        kind: 'delete',
                        chosen: { ids: [String(record['id'])], search: '', count: 1 },
                      })
                  : undefined,
              }}
            />
          )}
          {countOf(selection, total) > 0 && shape === 'grid' ? (
            <Suspense fallback={null}>
              <SelectionBar
                count={countOf(selection, total)}
                total={total}
                selectAll={() => select({ kind: 'all' })}
                clear={() => {
                  select(noSelection);
                  focusGrid();
                }}
                copy={(format) => void copySelected(format)}
                exportAs={(format) => void exportAs(chosen, format)}
                change={may('update') ? () => setDialog({ kind: 'change', chosen }) : undefined}
                remove={may('delete') ? () => setDialog({ kind: 'delete', chosen }) : undefined}
              />
            </Suspense>
          ) : null}
          <footer className={isFootEmpty ? 'data-foot empty' : 'data-foot'}>
            <span
              role="status"
              className={changes.message?.isWrong === true ? 'message wrong' : 'message'}
            >
              {changes.message === undefined ? '' : visible(changes.message.text)}{' '}
              {changes.message?.id === undefined ? null : (
                <Anchor
                  underline="always"
                  href={hashOf('data', place(`${resource.name}/${changes.message.id}`), search)}
                >
                  {visible(changes.message.id)}
                </Anchor>
              )}
            </span>
            <span className="gap" />
            {hasNoRows ? null : (
              <>
                {isPaged ? (
                  <Suspense fallback={null}>
                    <Paging
                      answer={rows.answer}
                      page={query.page ?? 1}
                      isBehind={query.others.some(
                        ([name, value]) => name === 'cursor' && value !== '',
                      )}
                      turned={(page) => change({ ...query, page })}
                      followed={(cursor) => {
                        const others = query.others.filter(([name]) => name !== 'cursor');
                        // Where pages have numbers, the first one with a cursor has an empty one.
                        const isAsked = cursor !== '' || resource.pagination === 'page';
                        change({
                          ...query,
                          others: isAsked ? [...others, ['cursor', cursor]] : others,
                        });
                      }}
                    />
                  </Suspense>
                ) : null}
                <span className="quiet small" role="status">
                  {rows.answer.headers.has('x-total-count') ? `${counted(total, 'record')}, ` : ''}
                  {milliseconds(rows.answer.duration)} ms
                </span>
              </>
            )}
          </footer>
        </div>
        {isRecordShown ? (
          <Suspense fallback={<aside className="record" />}>
            <RecordPanel
              key={opened.id ?? (template === undefined ? '' : JSON.stringify(template))}
              model={model}
              resource={resource}
              id={opened.id}
              begun={template}
              mayChange={mayChange}
              place={place}
              close={() => open('', true)}
              duplicate={duplicate}
              made={made}
              written={({ how, id }) => say({ text: how, id })}
            />
          </Suspense>
        ) : null}
      </div>
      {dialog === undefined ? null : (
        <Suspense fallback={null}>
          {dialog.kind === 'import' ? (
            <ImportDialog target={target} made={made} close={closeDialog} />
          ) : dialog.kind === 'delete' ? (
            <DeleteDialog
              target={target}
              chosen={dialog.chosen}
              made={made}
              close={closeDialog}
              done={() => {
                select(noSelection);
                closeDialog();
              }}
            />
          ) : (
            <ChangeDialog
              target={target}
              chosen={dialog.chosen}
              made={made}
              close={closeDialog}
              done={closeDialog}
            />
          )}
        </Suspense>
      )}
    </section>
  );
}
