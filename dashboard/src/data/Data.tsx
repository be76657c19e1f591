import './data.css';
import { Alert, Center, Loader } from '@mantine/core';
import type { JSX } from 'react';
import { useModel } from '../model.ts';
import { go, hashOf, useRoute } from '../route.ts';
import type { ViewProps } from '../view.ts';
import { ResourceView, type Opened } from './ResourceView.tsx';

/** Behind the name of a resource, where no id can be: a record that is to be created. */
const newRecord = '.new';

/** The part of the hash: `v1/` where it is not the default version, the name of a resource, and what is opened of it. */
function readPart(part: string): {
  readonly number: string | undefined;
  readonly named: string;
  readonly opened: Opened | undefined;
} {
  const [, number, behind = part] = /^v(\d+)\/(.+)$/su.exec(part) ?? [];
  const [, named = '', id = ''] = /^([^/]*)(?:\/(.*))?$/su.exec(behind) ?? [];
  if (behind.endsWith(newRecord) && behind === named)
    return { number, named: named.slice(0, -newRecord.length), opened: { id: undefined } };
  return { number, named, opened: id === '' ? undefined : { id } };
}

/** The records of any resource: the hash holds the query as the API gets it, so chips, URL and hash are one state. */
export function Data({ session, model: latest }: ViewProps): JSX.Element {
  const { part, search } = useRoute();
  const { number, named, opened } = readPart(part);
  const versioned = useModel(number);
  const model = number === undefined ? latest : versioned.data;
  if (model === undefined)
    return versioned.error === null ? (
      <Center p="xl">
        <Loader aria-label="Loading" />
      </Center>
    ) : (
      <Alert color="red" role="alert" m="md">
        {versioned.error.message}
      </Alert>
    );
  const names = model.resources.map(({ name }) => name);
  const resource = model.resources.find(({ name }) => name === (named || names[0]));
  const place = (name: string, version = number): string =>
    version === undefined ? name : `v${version}/${name}`;
  if (resource === undefined)
    return (
      <Alert color="gray" m="md">
        {names.length === 0
          ? 'There is no resource that you may use.'
          : `There is no resource ${named}.`}
      </Alert>
    );
  return (
    <ResourceView
      key={`${model.version} ${resource.name}`}
      model={model}
      latest={latest}
      resource={resource}
      search={search}
      opened={opened}
      mayChange={session.mayChange}
      place={place}
      toVersion={(version) => go(hashOf('data', place(named || resource.name, version)))}
      open={(id, replaces = false) =>
        go(
          hashOf(
            'data',
            place(`${resource.name}${id === undefined ? newRecord : id === '' ? '' : `/${id}`}`),
            search,
          ),
          replaces,
        )
      }
    />
  );
}
