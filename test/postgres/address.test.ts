import { expect, test } from 'vitest';
import { readPostgresUrl } from '../../src/databases/postgres/connections/address.ts';

test.each([
  ['postgres://ann@db.example:5433/shop', {}, 'shop on db.example:5433'],
  ['postgres://ann@[::1]/shop', {}, 'shop on [::1]:5432'],
  ['postgres://', { PGDATABASE: 'shop', PGHOST: '::1', PGPORT: '5433' }, 'shop on [::1]:5433'],
  ['postgres:///shop', { PGDATABASE: 'other', PGHOST: 'db.example' }, 'shop on db.example:5432'],
  ['postgres://db.example', { PGUSER: 'ann', PGPORT: '5433' }, 'ann on db.example:5433'],
  ['postgres://db.example:5432', { PGUSER: 'ann', PGPORT: '5433' }, 'ann on db.example:5432'],
  ['postgres://', {}, 'PostgreSQL'],
])('%s is called by what it leaves to the environment, too', (url, environment, name) => {
  expect(readPostgresUrl(url, { environment }).name).toBe(name);
});

test.each([
  ['', {}, {}],
  ['', { PGAPPNAME: 'shop', PGOPTIONS: '' }, { application_name: 'shop' }],
  ['?application_name=till', { PGAPPNAME: 'shop' }, { application_name: 'till' }],
  ['?jit=on', { PGOPTIONS: '-c jit=off' }, { jit: 'on', options: '-c jit=off' }],
])(
  'a session begins with settings of the URL and the environment: %s %j',
  (query, environment, settings) => {
    expect(readPostgresUrl(`postgres:///shop${query}`, { environment }).settings).toEqual(settings);
  },
);
