import { describe, expect, test } from 'vitest';
import { buildValid } from '../support/api.ts';
import { lines } from './import-cases.ts';
import { company, person, withLoader } from './import-loader.ts';

describe('keys', () => {
  test('in a circle, to their own table and to what comes later', () =>
    withLoader(company, async ({ load, rows }) => {
      const all = {
        'desks.ndjson': lines({ id: 1, personId: 2, teamBadge: 'blue' }),
        'people.ndjson': lines(person(1, 2, 1), person(2, 1, 2), person(3, 3, null)),
        'teams.ndjson': lines({ id: 1, leadId: 2, badge: 'blue' }, { id: 2, leadId: null }),
        'notes.ndjson': lines({ id: 1, subjectType: 'people', subjectId: 3 }, { id: 2 }),
      };
      expect(await load(all)).toEqual({ people: 3, teams: 2, desks: 1, notes: 2, skipped: 0 });
      expect(rows('SELECT id, bossId, teamId FROM people')).toEqual([
        { id: 1, bossId: 2, teamId: 1 },
        { id: 2, bossId: 1, teamId: 2 },
        { id: 3, bossId: 3, teamId: null },
      ]);
      expect(rows('SELECT leadId FROM teams ORDER BY id')).toEqual([
        { leadId: 2 },
        { leadId: null },
      ]);
      expect(await load(all)).toMatchObject({ people: 0, skipped: 8 });
      expect(rows('PRAGMA foreign_key_check')).toEqual([]);
    }));

  test('that are written over wait for what comes later', () =>
    withLoader(company, async ({ load, rows }) => {
      await load({
        'people.ndjson': lines(person(1, null, null), person(2, 1, null)),
        'teams.ndjson': lines({ id: 1, badge: 'blue' }),
        'desks.ndjson': lines({ id: 1, personId: 1, teamBadge: 'blue' }),
      });
      const all = {
        'people.ndjson': lines(person(1, 3, 2), person(2, null, null), person(3, 1, 1)),
        // Teams come before people.
        'teams.ndjson': lines({ id: 1, leadId: 3 }, { id: 2 }),
      };
      const refused = await load(all);
      expect(refused).toEqual([
        'teams.ndjson:1 id is taken: the record that has it differs in leadId',
        'people.ndjson:1 id is taken: the record that has it differs in bossId, teamId',
        'people.ndjson:2 id is taken: the record that has it differs in bossId',
      ]);
      expect(await load(all, 'replace')).toEqual({ people: 1, teams: 1, skipped: 0, replaced: 3 });
      expect(rows('SELECT id, bossId, teamId FROM people')).toEqual([
        { id: 1, bossId: 3, teamId: 2 },
        { id: 2, bossId: null, teamId: null },
        { id: 3, bossId: 1, teamId: 1 },
      ]);
      expect(rows('SELECT leadId FROM teams ORDER BY id')).toEqual([
        { leadId: 3 },
        { leadId: null },
      ]);
      const held = lines({ id: 1, badge: 'red' });
      expect(await load({ 'teams.ndjson': held }, 'replace')).toEqual([
        'teams.ndjson:1 badge cannot change: other records point to the value that it has',
      ]);
    }));

  test('that lead nowhere are listed, and nothing of the run is kept', () =>
    withLoader(company, async ({ load, rows }) => {
      expect(
        await load({
          'desks.ndjson': lines({ id: 1, personId: 9 }, { id: 2, personId: 1, teamBadge: 'red' }),
          'people.ndjson': lines(person(1, null, null), person(2, 8, null), person(3, 1, 7)),
          'teams.ndjson': lines({ id: 1, leadId: 6 }),
          'notes.ndjson': lines(
            { id: 1, subjectType: 'people', subjectId: 5 },
            { id: 2, subjectType: 'cats', subjectId: 1 },
            { id: 3, subjectType: 'teams' },
          ),
        }),
      ).toEqual([
        'people.ndjson:3 teamId there is no record in teams with id 7',
        'desks.ndjson:1 personId there is no record in people with id 9',
        'desks.ndjson:2 teamBadge there is no record in teams with badge "red"',
        'notes.ndjson:2 subjectType must be one of people, teams',
        'notes.ndjson:3 subjectId must be given as well, or subjectType be null',
        'teams.ndjson:1 leadId there is no record in people with id 6',
        'people.ndjson:2 bossId there is no record in people with id 8',
        'notes.ndjson:1 subjectId there is no record in people with id 5',
      ]);
      expect(rows('SELECT id FROM people UNION ALL SELECT id FROM teams')).toEqual([]);
    }));

  test('to a record that was refused are no problem of their own', () =>
    withLoader(company, async ({ load }) => {
      expect(
        await load({
          'people.ndjson': lines({ id: 1, name: 7 }, person(2, 1, null), person(3, 2, null)),
          'desks.ndjson': lines({ id: 1, personId: 1 }, { id: 2, personId: 2 }),
          'notes.ndjson': lines({ id: 1, subjectType: 'people', subjectId: 1 }),
        }),
      ).toEqual(['people.ndjson:1 name must be a string']);
    }));

  test('that may not be null lead to what comes before', () => {
    const closed = buildValid(`resources:
  teams: { fields: { leadId: { type: integer, reference: people.id } } }
  people: { fields: { teamId: { type: integer, nullable: false, reference: teams.id } } }
  nodes: { fields: { parentId: { type: integer, nullable: false, reference: nodes.id } } }
`);
    return withLoader(closed, async ({ load, rows }) => {
      const all = {
        'people.ndjson': lines({ id: 5, teamId: 7 }),
        'teams.ndjson': lines({ id: 7, leadId: 5 }),
        'nodes.ndjson': lines({ id: 1, parentId: 1 }, { id: 2, parentId: 1 }),
      };
      expect(await load(all)).toEqual({ teams: 1, people: 1, nodes: 2, skipped: 0 });
      expect(rows('SELECT leadId, teamId FROM teams JOIN people')).toEqual([
        { leadId: 5, teamId: 7 },
      ]);
      // However many are written at once.
      const ahead = lines({ id: 3, parentId: 4 }, { id: 4, parentId: 1 });
      expect(await load({ 'nodes.ndjson': ahead })).toEqual([
        'nodes.ndjson:1 parentId there is no record in nodes with id 4; where that one comes later, put it first, or let the key be null',
      ]);
    });
  });

  test('in a circle, none of which may be null: what helps is said', () => {
    const closed = buildValid(`
resources:
  teams: { fields: { leadId: { type: integer, nullable: false, reference: people.id } } }
  people: { fields: { teamId: { type: integer, nullable: false, reference: teams.id } } }
`);
    return withLoader(closed, async ({ load, run }) => {
      const all = {
        'people.ndjson': lines({ id: 5, teamId: 7 }),
        'teams.ndjson': lines({ id: 7, leadId: 5 }),
      };
      expect(await load(all)).toEqual([
        'people.ndjson:1 teamId there is no record in teams with id 7; records of people and teams would each need the other to be there first; let one of the keys be null',
      ]);
      run('PRAGMA foreign_keys = OFF; INSERT INTO teams VALUES (7, 5); PRAGMA foreign_keys = ON');
      expect(await load(all)).toEqual({ people: 1, teams: 0, skipped: 1 });
    });
  });

  test('of records without an id', () =>
    withLoader(company, async ({ load, rows }) => {
      await load({ 'people.ndjson': lines(person(5, null, null), { name: 'Q', bossId: 5 }) });
      expect(rows('SELECT id, bossId FROM people')).toEqual([
        { id: 5, bossId: null },
        { id: 6, bossId: 5 },
      ]);
    }));
});
