import {
  Alert,
  Button,
  Checkbox,
  FileButton,
  Group,
  Modal,
  Progress,
  Stack,
  Table,
  Text,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { FileUp } from 'lucide-react';
import { useState, type DragEvent, type JSX } from 'react';
import { Refusal } from '../../api.ts';
import { brief, counted, shown } from '../../words.ts';
import { memberOf } from '../record/draft.ts';
import {
  createRecords,
  messageOf,
  removal,
  wholeMessageOf,
  type Change,
  type Target,
} from './changes.ts';
import { readFile, type FileContent, type FileRecord } from './read-file.ts';

interface Props {
  readonly target: Target;
  readonly made: (change: Change) => void;
  readonly close: () => void;
}

/** How many records the preview shows; those with problems come first. */
const previewed = 50;

/** Creates records from a file, after a look at what it holds and what is wrong with it. */
export function ImportDialog({ target, made, close }: Props): JSX.Element {
  const { model, resource } = target;
  const [file, setFile] = useState<{ readonly name: string; readonly content: FileContent }>();
  const [wrong, setWrong] = useState<string>();
  const [skips, setSkips] = useState(false);
  const [done, setDone] = useState(0);
  const take = async (chosen: File | null | undefined): Promise<void> => {
    if (chosen === null || chosen === undefined) return;
    setWrong(undefined);
    importing.reset();
    try {
      setFile({ name: chosen.name, content: readFile(chosen.name, await chosen.text(), resource) });
    } catch (error) {
      setFile(undefined);
      setWrong(`${chosen.name}: ${messageOf(error)}`);
    }
  };
  const records = file?.content.records ?? [];
  const bad = records.filter(({ problems }) => problems.size > 0);
  const good = records.filter(({ problems }) => problems.size === 0);
  const sent = skips ? good : records;
  const importing = useMutation({
    mutationFn: async () => {
      const ids: string[] = [];
      setDone(0);
      try {
        for (let begin = 0; begin < sent.length; begin += model.limits.batchItems) {
          const portion = sent.slice(begin, begin + model.limits.batchItems);
          try {
            ids.push(
              ...(await createRecords(
                target,
                portion.map(({ body }) => body),
              )),
            );
          } catch (error) {
            if (error instanceof Refusal) setFile((now) => withProblems(now, portion, error));
            throw error;
          }
          setDone(begin + portion.length);
        }
      } finally {
        if (ids.length > 0)
          made({
            words: `Imported ${counted(ids.length, 'record')}`,
            reverse: removal(target, ids),
          });
      }
      close();
    },
  });
  return (
    <Modal
      opened
      onClose={close}
      size="xl"
      title={`Import records into ${resource.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap={12}>
        <div
          className="drop"
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event: DragEvent<HTMLDivElement>) => {
            event.preventDefault();
            void take(event.dataTransfer.files[0]);
          }}
        >
          <FileUp size={20} aria-hidden />
          <Text size="sm">
            {file === undefined
              ? 'Drop a file of CSV, NDJSON or JSON here.'
              : `${file.name}: ${counted(records.length, 'record')}`}
          </Text>
          <FileButton onChange={(chosen) => void take(chosen)} accept=".csv,.ndjson,.jsonl,.json">
            {(props) => (
              <Button {...props} size="xs" variant="default" data-autofocus>
                {file === undefined ? 'Choose a file' : 'Another file'}
              </Button>
            )}
          </FileButton>
        </div>
        {wrong === undefined ? null : (
          <Alert color="red" role="alert">
            {wrong}
          </Alert>
        )}
        {file === undefined ? null : (
          <>
            {file.content.left.length === 0 ? null : (
              <Text size="sm" c="dimmed">
                Left out, as they are not written here: {file.content.left.join(', ')}
              </Text>
            )}
            <Text size="sm" role="status">
              {bad.length === 0
                ? 'No problems found.'
                : `${counted(bad.length, 'record')} with problems.`}
            </Text>
            <Preview columns={file.content.columns} records={[...bad, ...good]} />
            {bad.length === 0 ? null : (
              <Checkbox
                size="xs"
                label="Skip the records with problems"
                checked={skips}
                onChange={(event) => setSkips(event.currentTarget.checked)}
              />
            )}
          </>
        )}
        {importing.error === null ? null : (
          <Alert color="red" role="alert">
            {wholeMessageOf(importing.error).slice(0, 600)}
          </Alert>
        )}
        {importing.isPending && sent.length > model.limits.batchItems ? (
          <Progress value={(100 * done) / sent.length} aria-label="Imported" />
        ) : null}
        <Group gap={8} justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            loading={importing.isPending}
            disabled={sent.length === 0 || (bad.length > 0 && !skips)}
            onClick={() => importing.mutate()}
          >
            Import {sent.length === 0 ? '' : counted(sent.length, 'record')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The file with what the server says of its records: `[3].title` is a field of the fourth one that was sent. */
function withProblems(
  file: { readonly name: string; readonly content: FileContent } | undefined,
  portion: readonly FileRecord[],
  { fields }: Refusal,
): typeof file {
  if (file === undefined) return file;
  const found = new Map<FileRecord, Map<string, string>>();
  for (const { field, message } of fields) {
    const [, index, name = ''] = /^\[(\d+)\]\.?(.*)$/u.exec(field) ?? [];
    const record = index === undefined ? undefined : portion[Number(index)];
    if (record === undefined) continue;
    found.set(record, (found.get(record) ?? new Map<string, string>()).set(name, message));
  }
  const records = file.content.records.map((record) => {
    const problems = found.get(record);
    return problems === undefined ? record : { ...record, problems };
  });
  return { name: file.name, content: { ...file.content, records } };
}

interface PreviewProps {
  readonly columns: readonly string[];
  readonly records: readonly FileRecord[];
}

function Preview({ columns, records }: PreviewProps): JSX.Element {
  return (
    <div className="preview" role="region" aria-label="Preview" tabIndex={0}>
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Record</Table.Th>
            {columns.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {records.slice(0, previewed).map((record) => (
            <Table.Tr
              key={record.number}
              className={record.problems.size > 0 ? 'wrong' : undefined}
            >
              <Table.Td>
                {record.number}{' '}
                {record.problems.has('') ? (
                  <span className="problem">{record.problems.get('')}</span>
                ) : null}
              </Table.Td>
              {columns.map((name) => (
                <Table.Td key={name}>
                  {brief(shown(memberOf(record.body, name)), 60)}
                  {record.problems.has(name) ? (
                    <span className="problem"> {record.problems.get(name)}</span>
                  ) : null}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
