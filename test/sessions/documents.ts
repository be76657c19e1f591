import { caller, withTokens } from '../support/callers.ts';
import type { Roles } from '../support/row-security.ts';

/** Documents of people, with policies as the documentation of PostgREST writes them. */
export const specification = (more = ''): string => `
database:
  session:
    role: "{user.dbRole}"
    request.jwt.claims: "{user}"
    app.tenant: "{user.tenant}"
${more}
${withTokens}
access: public
resources:
  folders:
    managed: false
    fields:
      name: { type: string }
      owner: { type: string }
      documents: { type: relation, relation: hasMany, resource: documents, foreignKey: folderId }
  documents:
    managed: false
    fields:
      title: { type: string }
      owner: { type: string }
      tenant: { type: string }
      isLocked: { type: boolean, default: false }
      folderId: { type: integer, reference: folders.id, onDelete: cascade }
      folder: { type: relation, relation: belongsTo, resource: folders, foreignKey: folderId }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: document-tags, withPivot: [note] }
  tags: { managed: false, fields: { name: { type: string } } }
  document-tags:
    managed: false
    table: document_tags
    fields:
      documentId: { type: integer, required: true, reference: documents.id, onDelete: cascade }
      tagId: { type: integer, required: true, reference: tags.id }
      note: { type: string }
  secrets: { managed: false, fields: { text: { type: string } } }
`;

const sub = `current_setting('request.jwt.claims', true)::json->>'sub'`;

export const tables = ({ anonymous, member }: Roles): string => `
  CREATE TABLE folders (id serial PRIMARY KEY, name text, owner text);
  CREATE TABLE documents (id serial PRIMARY KEY, title text, owner text DEFAULT ${sub},
    tenant text DEFAULT current_setting('app.tenant', true), "isLocked" boolean NOT NULL DEFAULT false,
    "folderId" integer REFERENCES folders ON DELETE CASCADE);
  CREATE TABLE tags (id serial PRIMARY KEY, name text);
  CREATE TABLE document_tags (id serial PRIMARY KEY, "documentId" integer NOT NULL REFERENCES documents ON DELETE CASCADE,
    "tagId" integer NOT NULL REFERENCES tags, note text);
  CREATE TABLE secrets (id serial PRIMARY KEY, text text);
  INSERT INTO folders (name, owner) SELECT 'of ' || name, name FROM unnest(ARRAY['ann', 'bob', 'cem']) AS name;
  INSERT INTO documents (title, owner, tenant, "folderId")
    SELECT name || ' ' || number, name, 't' || place, place
    FROM unnest(ARRAY['ann', 'bob', 'cem']) WITH ORDINALITY AS people(name, place), generate_series(1, 20) AS number;
  INSERT INTO tags (name) VALUES ('red'), ('blue');
  INSERT INTO document_tags ("documentId", "tagId") SELECT id, 1 FROM documents;
  INSERT INTO secrets (text) VALUES ('nobody reads this');
  ANALYZE;

  ALTER TABLE folders ENABLE ROW LEVEL SECURITY;
  ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
  ALTER TABLE document_tags ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON folders TO ${member} USING (owner = ${sub});
  CREATE POLICY own ON documents FOR SELECT TO ${member} USING (owner = ${sub});
  CREATE POLICY making ON documents FOR INSERT TO ${member}
    WITH CHECK (owner = ${sub} AND tenant = current_setting('app.tenant', true));
  CREATE POLICY changing ON documents FOR UPDATE TO ${member} USING (owner = ${sub} AND NOT "isLocked");
  CREATE POLICY deleting ON documents FOR DELETE TO ${member} USING (owner = ${sub} AND NOT "isLocked");
  CREATE POLICY public ON documents FOR SELECT TO ${anonymous} USING (title LIKE '% 1');
  CREATE POLICY own ON document_tags TO ${member}
    USING (EXISTS (SELECT FROM documents WHERE documents.id = "documentId"));
  GRANT SELECT, INSERT, UPDATE, DELETE ON folders, documents, document_tags TO ${member};
  GRANT SELECT ON tags TO ${member};
  GRANT SELECT ON documents TO ${anonymous};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${member};
`;

/** A caller of the role `member`. */
export function person(name: string, tenant: string, { member }: Roles): Record<string, string> {
  return caller({ sub: name, tenant, dbRole: member });
}
