/** A page of the guide in the side bar: its title there, and its file. */
export interface Entry {
  readonly text: string;
  readonly file: string;
}

export interface Section {
  readonly text: string;
  readonly entries: readonly Entry[];
}

function section(text: string, ...entries: readonly (readonly [string, string])[]): Section {
  return { text, entries: entries.map(([title, file]) => ({ text: title, file })) };
}

/** The pages of the site in the order in which a reader needs them. */
export const sections: readonly Section[] = [
  section('Begin', ['What Plinth is', 'index.md'], ['Start', 'start.md']),
  section(
    'Build',
    ['The file', 'specification.md'],
    ['Query', 'query.md'],
    ['Write', 'write.md'],
    ['Errors', 'errors.md'],
    ['Generated data', 'data.md'],
    ['Clients', 'clients.md'],
  ),
  section(
    'Develop',
    ['plinth dev', 'develop.md'],
    ['Test against it', 'test.md'],
    ['A slow and faulty network', 'network.md'],
    ['Debug', 'debug.md'],
    ['The dashboard', 'dashboard.md'],
  ),
  section(
    'How to',
    ['Overview', 'how-to/index.md'],
    ['Search box', 'how-to/search-box.md'],
    ['Infinite scroll', 'how-to/infinite-scroll.md'],
    ['Optimistic edits', 'how-to/optimistic-edits.md'],
    ['Ordered lists', 'how-to/ordered-lists.md'],
    ['Soft delete', 'how-to/soft-delete.md'],
    ['Counts', 'how-to/counts.md'],
    ['Totals and groups', 'how-to/totals.md'],
    ['Computed fields', 'how-to/computed-fields.md'],
    ['Endpoints of your own', 'how-to/endpoints.md'],
    ['Images and files', 'how-to/images.md'],
    ['Several languages', 'how-to/languages.md'],
    ['Several tenants', 'how-to/multi-tenancy.md'],
    ['Log in', 'how-to/login.md'],
    ['Versions', 'how-to/versions.md'],
    ['Own code', 'how-to/own-code.md'],
    ['Embed in an application', 'how-to/embed.md'],
  ),
  section(
    'Run',
    ['Secure', 'secure.md'],
    ['Databases', 'databases.md'],
    ['PostgreSQL in detail', 'postgresql.md'],
    ['Deploy', 'deploy/index.md'],
    ['With systemd', 'deploy/systemd.md'],
    ['In a container', 'deploy/container.md'],
    ['HTTPS, behind a proxy', 'deploy/behind-a-proxy.md'],
    ['More than one machine', 'deploy/several-servers.md'],
    ['Operate', 'operate.md'],
    ['Tune', 'tune.md'],
  ),
  section(
    'Migrate in',
    ['From json-server', 'migrate-in/json-server.md'],
    ['From another mock', 'migrate-in/openapi.md'],
    ['From SQLite', 'migrate-in/sqlite.md'],
    ['From PostgreSQL', 'migrate-in/postgresql.md'],
  ),
  section(
    'Look up',
    ['Reference', 'reference/index.md'],
    ['Keys of the file', 'reference/file.md'],
    ['Query parameters', 'reference/query-parameters.md'],
    ['Headers', 'reference/headers.md'],
    ['Limits', 'reference/limits.md'],
    ['Command line', 'reference/command-line.md'],
    ['Package', 'reference/package.md'],
    ['What Plinth does not do', 'not-included.md'],
    ['FAQ', 'faq.md'],
    ['Reliability', 'reliability.md'],
    ['Threats', 'threats.md'],
  ),
  section(
    'Contract',
    ['Overview', 'contract/README.md'],
    ['1 Specification file', 'contract/1-specification-file.md'],
    ['2 Reading', 'contract/2-reading.md'],
    ['3 Writing', 'contract/3-writing.md'],
    ['4 Errors and limits', 'contract/4-errors-and-limits.md'],
    ['5 Access', 'contract/5-access.md'],
    ['6 Operation', 'contract/6-operation.md'],
    ['7 Data, debug, dashboard', 'contract/7-data-debug-dashboard.md'],
    ['8 Existing databases', 'contract/8-existing-databases.md'],
    ['9 Groups and computed fields', 'contract/9-groups-and-computed-fields.md'],
    ['10 Own code', 'contract/10-own-code.md'],
  ),
];

/** Documents for contributors, which the site leaves out. */
export const leftOut: readonly string[] = ['ARCHITECTURE.md', 'decisions/**', 'development/**'];
