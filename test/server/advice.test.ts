import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRefusals, expectRows, invalid, type RefusalCase } from '../support/tables.ts';

// What a new user gets wrong in a request, and what the answer advises.
const clinic = `
resources:
  patients:
    fields:
      lastName: { type: string, required: true }
      wakeAt: { type: time }
      seenAt: { type: datetime }
      address: { type: object, properties: { city: { type: string } } }
      appointments: { type: relation, relation: hasMany, resource: appointments }
      photos: { type: relation, relation: morphMany, resource: photos }
  doctors:
    fields:
      name: { type: string, required: true }
      limits: { type: relation, relation: hasMany, resource: limits }
      appointments: { type: relation, relation: hasMany, resource: appointments }
      photos: { type: relation, relation: morphMany, resource: photos }
      teams:
        { type: relation, relation: belongsToMany, resource: teams, through: members, withPivot: [role] }
  teams: { fields: { title: { type: string } } }
  members:
    fields:
      doctorId: { type: integer, required: true, reference: doctors.id }
      teamId: { type: integer, required: true, reference: teams.id }
      role: { type: string }
  limits:
    fields:
      limit: { type: integer, required: true }
      doctorId: { type: integer, required: true, reference: doctors.id }
  appointments:
    fields:
      at: { type: datetime, required: true }
      fee: { type: decimal }
      patientId: { type: integer, required: true, reference: patients.id }
      doctorId: { type: integer, reference: doctors.id }
      doctor: { type: relation, relation: belongsTo, resource: doctors }
  photos:
    fields:
      title: { type: string }
      ownerType: { type: string, required: true }
      ownerId: { type: integer, required: true }
      owner: { type: relation, relation: morphTo, typeField: ownerType, idField: ownerId }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(clinic, {
    patients: [{ lastName: 'Zed', wakeAt: '06:30:00', seenAt: '2026-03-01T12:05:00Z' }],
    doctors: [{ name: 'Who' }],
    limits: [{ limit: 3, doctorId: 1 }],
  });
});
afterAll(() => api.stop());
const source = (): TestApi => api;

describe('a parameter of a collection that is not expanded', () => {
  expectRefusals(source, '/v1/patients', [
    invalid(
      'limit',
      'appointments.limit=1',
      'appointments.limit: there is no field appointments.limit; to page or sort appointments, add expand=appointments',
    ),
    invalid(
      'sort',
      'appointments.sort=-at',
      'appointments.sort: there is no field appointments.sort; to page or sort appointments, add expand=appointments',
    ),
    invalid(
      'mistyped',
      'expand=appointments&appointments.limt=1',
      'appointments.limt: there is no field appointments.limt; did you mean appointments.limit?',
    ),
    invalid(
      'mistyped, nearer to a field',
      'expand=appointments&appointments.fe=1',
      'appointments.fe: there is no field appointments.fe; did you mean appointments.fee?',
    ),
    invalid(
      'mistyped in an _or, where it means nothing',
      '_or=appointments.limt:1',
      'appointments.limt: there is no field appointments.limt',
    ),
    invalid(
      'of a record, which is never paged',
      'appointments.doctor.page=1',
      'appointments.doctor.page: there is no field appointments.doctor.page; did you mean appointments.doctor.name?',
    ),
    invalid(
      'fields',
      'expand=appointments&appointments.fields=at',
      'appointments.fields: there is no field appointments.fields; write fields=appointments.field',
    ),
    invalid(
      'expand',
      'appointments.expand=doctor',
      'appointments.expand: there is no field appointments.expand; write expand=appointments.relation',
    ),
  ]);
  expectRefusals(source, '/v1/patients', [
    [
      'a key of its own sort, as it is written there',
      'expand=appointments&appointments.sort=-fe',
      'INVALID_SORT',
      'appointments.sort: there is no field fe; did you mean fee?',
    ],
    [
      'a path of its own sort',
      'expand=appointments&appointments.sort=doctor.nme',
      'INVALID_SORT',
      'appointments.sort: there is no field doctor.nme; did you mean doctor.name?',
    ],
  ]);
  expectRows(source, '/v1/doctors', [['a field of that name', 'limits.limit=3', [1]]]);
  expectRefusals(source, '/v1/photos', [
    invalid(
      'behind one target of a morphTo',
      'expand=owner.appointments&owner:doctors.appointments.limit=1',
      'owner:doctors.appointments.limit: there is no field owner:doctors.appointments.limit; write owner.appointments.limit=value',
    ),
    invalid(
      'fields behind one target of a morphTo',
      'owner:doctors.appointments.fields=at',
      'owner:doctors.appointments.fields: there is no field owner:doctors.appointments.fields; write fields=owner.appointments.field',
    ),
    invalid(
      'behind a morphTo',
      'owner.appointments.offset=1',
      'owner.appointments.offset: there is no field owner.appointments.offset; to page or sort owner.appointments, add expand=owner.appointments',
    ),
  ]);
});

describe('every wrong name of a path gives way to the nearest', () => {
  expectRefusals(source, '/v1/patients', [
    invalid(
      'of relations and a field',
      'apointments.doctr.nmae=Who',
      'apointments.doctr.nmae: there is no field apointments.doctr.nmae; did you mean appointments.doctor.name?',
    ),
    invalid(
      'before an operator',
      'apointments.doctr.nmae_gt=Who',
      'apointments.doctr.nmae_gt: there is no field apointments.doctr.nmae_gt; did you mean appointments.doctor.name_gt?',
    ),
    invalid(
      'before a parameter of the collection',
      'apointments.limit=1',
      'apointments.limit: there is no field apointments.limit; did you mean appointments.limit?',
    ),
    invalid(
      'but what none is near to stays',
      'apointments.colour=red',
      'apointments.colour: there is no field apointments.colour; did you mean appointments.colour?',
    ),
    [
      'in a sort',
      'sort=apointments.doctr.nmae',
      'INVALID_SORT',
      'sort: there is no field apointments.doctr.nmae; did you mean appointments.doctor.name?',
    ],
    [
      'in the sort of a collection',
      'expand=appointments&appointments.sort=doctr.nmae',
      'INVALID_SORT',
      'appointments.sort: there is no field doctr.nmae; did you mean doctor.name?',
    ],
  ]);
  expectRefusals(source, '/v1/photos', [
    invalid(
      'a morphTo, its target and a field of that',
      'onwer:doctor.nmae=Who',
      'onwer:doctor.nmae: there is no field onwer:doctor.nmae; did you mean owner:doctors.name?',
    ),
  ]);
  expectRefusals(source, '/v1/doctors', [
    invalid(
      'pivot and a field of the junction',
      'teams.pivt.rol=chief',
      'teams.pivt.rol: there is no field teams.pivt.rol; did you mean teams.pivot.role?',
    ),
    invalid(
      'pivot among the fields that are chosen',
      'expand=teams&fields=teams.pivt.role',
      'fields: teams.pivt.role: there is no field pivt; did you mean pivot?',
    ),
  ]);
});

describe('the nearest name behind a morphTo is looked for in every target', () => {
  expectRefusals(source, '/v1/photos', [
    invalid(
      'of the first',
      'owner.lastNam=Zed',
      'owner.lastNam: there is no field owner.lastNam; did you mean owner.lastName?',
    ),
    invalid(
      'of the second',
      'owner.nme=Who',
      'owner.nme: there is no field owner.nme; did you mean owner.name?',
    ),
    invalid(
      'a mistyped morphTo before one of its targets',
      'onwer:doctors.name=Who',
      'onwer:doctors.name: there is no field onwer:doctors.name; did you mean owner:doctors.name?',
    ),
    invalid(
      'where the path leads farthest',
      'owner.address.cty=Bonn',
      'owner.address.cty: there is no field owner.address.cty; did you mean owner.address.city?',
    ),
  ]);
});

describe('characters that have to be written otherwise', () => {
  expectRefusals(source, '/v1/patients', [
    [
      'a plus sign, which is a blank',
      'seenAt=2026-03-01T14:05:00+02:00',
      'INVALID_FILTER',
      'seenAt: "2026-03-01T14:05:00 02:00" does not fit: it takes a date and time such as 2026-03-01T14:05:00.000Z, or a date; write + as %2B',
    ],
    invalid(
      'a colon in a value of _or',
      '_or=wakeAt:06:30:00,lastName:Zed',
      'wakeAt:06:30: there is no field wakeAt:06:30; a value with a colon is written in double quotes: wakeAt:"…"',
    ),
  ]);
  expectRows(source, '/v1/patients', [
    ['the plus sign as %2B', 'seenAt=2026-03-01T14:05:00%2B02:00', [1]],
    ['the value in quotes', '_or=wakeAt:"06:30:00",lastName:Who', [1]],
  ]);
});

describe('brackets, as libraries write lists and objects', () => {
  const rows = {
    'sort[]=lastName&sort[]=id': 'several as sort=a,b',
    'fields[0]=lastName&fields[0]=id': 'several as fields=a,b',
    'fields[patients]=lastName': 'several as fields=a,b',
    'expand[]=photos': 'several as expand=a,b',
    '_or[]=lastName:a&_or[]=lastName:b': '_or=field:value,field:value',
    'page[size]=2': 'page=2&limit=10',
    'address[city]=Rome':
      'field_operator=value, relation.field=value, and several values as field_in=a,b',
  };
  expectRefusals(
    source,
    '/v1/patients',
    Object.entries(rows).map(([query, right]) =>
      invalid(
        query,
        query,
        `${query.replace(/=.*/u, '')}: brackets are not used here; write ${right}`,
      ),
    ),
  );
});

describe('what other services call a parameter', () => {
  const meant = (other: string, name: string): RefusalCase =>
    invalid(
      other,
      `${other}=a`,
      `${other}: there is no field or parameter ${other}; did you mean ${name}?`,
    );
  expectRefusals(source, '/v1/appointments', [
    meant('include', 'expand'),
    meant('select', 'fields'),
    meant('orderBy', 'sort'),
    meant('per_page', 'limit'),
    meant('skip', 'offset'),
    meant('q', 'search'),
    meant('keyword', 'search'),
    meant('_end', 'limit'),
    meant('after', 'cursor'),
    meant('$top', 'limit'),
    meant('$skip', 'offset'),
    meant('$select', 'fields'),
    meant('$expand', 'expand'),
    meant('$orderby', 'sort'),
    meant('$search', 'search'),
    meant('groupBy', 'group'),
    ...(
      [
        ['_order', 'sort=field, or sort=-field to descend'],
        ...['where', '_where', '$filter', '$where'].map(
          (name) => [name, 'field=value or field_operator=value for each filter'] as const,
        ),
        ['_delay', 'X-Simulate: latency=500 as a header, where debug is on'],
      ] as const
    ).map(([name, line]) =>
      invalid(
        `${name} of another service`,
        `${name}=Who`,
        `${name}: there is no field or parameter ${name}; write ${line}`,
      ),
    ),
  ]);
  expectRefusals(source, '/v1/appointments/1', [
    meant('include', 'expand'),
    invalid(
      'a parameter that has no sense on a record',
      'per_page=3',
      'per_page: there is no field or parameter per_page',
    ),
  ]);
  expectRefusals(source, '/v1/patients', [
    invalid('what no filter of a group can be', '_or=limit:3', 'limit: there is no field limit'),
  ]);
});

describe('comparisons and orders as they are written elsewhere', () => {
  const sign = (query: string, name: string, right: string): RefusalCase =>
    invalid(query, query, `${name}: there is no field ${name}; write ${right}=value`);
  expectRefusals(source, '/v1/appointments', [
    sign('fee%3E5', 'fee>5', 'fee_gt'),
    sign('fee%3E=5', 'fee>', 'fee_gte'),
    sign('fee%3C5', 'fee<5', 'fee_lt'),
    sign('doctor.name%3C=5', 'doctor.name<', 'doctor.name_lte'),
    sign('fee!=5', 'fee!', 'fee_neq'),
    sign('fee%3C%3E5', 'fee<>5', 'fee_neq'),
    sign('fee_ne=5', 'fee_ne', 'fee_neq'),
    sign('fee:lte=5', 'fee:lte', 'fee_lte'),
    sign('doctor.name__startswith=W', 'doctor.name__startswith', 'doctor.name_startsWith'),
    sign('doctor.name:contains=W', 'doctor.name:contains', 'doctor.name_ilike'),
    sign('id:in=1,2', 'id:in', 'id_in'),
    invalid(
      'a mistyped operator that is short',
      'fee_gr=5',
      'fee_gr: there is no field fee_gr; did you mean fee_gt?',
    ),
    invalid(
      'an operator that the type does not take',
      'fee:like=5',
      'fee:like: there is no field or parameter fee:like',
    ),
    invalid(
      'an operator that there is not',
      'fee_between=1,2',
      'fee_between: there is no field fee_between and no operator _between; fee takes _eq, _neq, _in, _nin, _gt, _gte, _lt, _lte, _exists, _null',
    ),
    invalid(
      'a mistyped operator behind a relation',
      'doctor.name_ilik=W',
      'doctor.name_ilik: there is no field doctor.name_ilik; did you mean doctor.name_ilike?',
    ),
    ['a colon', 'sort=at:desc', 'INVALID_SORT', 'sort: there is no field at:desc; write -at'],
    ['a blank', 'sort=fee+ASC', 'INVALID_SORT', 'sort: there is no field fee ASC; write fee'],
    [
      'an order behind its name',
      'sort=at,desc',
      'INVALID_SORT',
      'sort: there is no field desc; a minus before a name makes it descend: sort=-name',
    ],
    [
      'JSON',
      'sort=["at"]',
      'INVALID_SORT',
      'sort: there is no field ["at"]; names are written without brackets and quotes: sort=-name,id',
    ],
    [
      'an order of what there is not',
      'sort=att:desc',
      'INVALID_SORT',
      'sort: there is no field att:desc',
    ],
    [
      'a list where one value is asked for',
      'id=1,2',
      'INVALID_FILTER',
      'id: "1,2" does not fit: it takes a whole number; for any of several write id_in',
    ],
    [
      'a list that is not to be',
      'fee_neq=1,2.5',
      'INVALID_FILTER',
      'fee_neq: "1,2.5" does not fit: it takes a plain decimal number such as 19.90; for any of several write fee_nin',
    ],
    [
      'no list of values either',
      'id=1,x',
      'INVALID_FILTER',
      'id: "1,x" does not fit: it takes a whole number',
    ],
  ]);
});
