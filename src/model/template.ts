/** What a template takes from another field of its row: `{{self.name}}`. */
const taken = /(\{\{\s*self\.)(\w+)/gu;

/** The names of the fields that a template takes something from, each as often as it does. */
export function fieldsIn(template: string): readonly string[] {
  return [...template.matchAll(taken)].map(([, , name = '']) => name);
}

/** A template that takes the same from fields which go by other names. */
export function withFields(template: string, nameOf: (field: string) => string): string {
  return template.replaceAll(taken, (_, before: string, name: string) => before + nameOf(name));
}
