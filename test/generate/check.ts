import { checkGeneration } from '../../src/server/dev/data-problems.ts';
import { formatProblem, requireSpecification } from '../../src/server/files/specification.ts';
import { makeFolder } from '../support/command.ts';
import { quietContext } from '../sandboxes/sandboxes.ts';

const modules = {
  'g.ts': `
export const sku = () => 'S';
export const five = () => 5;
export const wrong = () => ({ on: 5 });
export const throws = () => { throw new Error('no luck'); };
export const hurls = () => { throw Object.create(null); };
export const later = async () => 'x';
export const circle = () => { const one = { list: [] }; one.list.push(one); return one; };
const nested = (levels) => (levels === 0 ? 1 : [nested(levels - 1)]);
export const deep = () => nested(31);
export const deeper = () => nested(32);
export const repeats = ({ row }) => (row % 4 === 0 ? 'y' : 'x' + row);
`,
  'broken.ts': 'export const sku = ;',
  'data/others.json': '[]',
  'things.json': '[]',
};

/** What `plinth check` says of one field of a resource with ten records; the field is on line 5. */
export async function problemsOf(field: string, head = ''): Promise<readonly string[]> {
  const text = `access: public
resources:
  things:
    fields:
      f: ${field}
${head}`;
  const folder = makeFolder({ 'plinth.yaml': text, ...modules });
  const specification = requireSpecification(quietContext(folder.path), {});
  return (await checkGeneration(specification)).map((problem) => formatProblem(problem));
}

/** One problem of it as it is printed. */
export const at = (column: number, key: string, message: string, severity = 'error'): string =>
  `plinth.yaml:5:${column} ${severity} resources.things.fields.f${key}: ${message}`;
