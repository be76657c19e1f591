/** The variables for `${NAME}`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Replacement {
  readonly text: string;
  /** Whether the text consists only of variables. */
  readonly whole: boolean;
  /** Whether any variable or escape was found. */
  readonly changed: boolean;
  /** One sentence for each malformed variable, and for each that is not set. */
  readonly problems: readonly string[];
  readonly unset: readonly string[];
}

/** The source of a pattern for one `${NAME}`; the JSON Schema uses it too. */
export const variablePattern = String.raw`\$\{[A-Za-z_][A-Za-z0-9_]*\}`;

const occurrences = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{[^}]*\}?/g;
const wholly = new RegExp(`^(${variablePattern})+$`);

/** Replaces every `${NAME}` by its variable; `$${` is an escape for `${`. */
export function replaceVariables(source: string, environment: Environment): Replacement {
  if (!source.includes('${'))
    return { text: source, whole: false, changed: false, problems: [], unset: [] };
  const problems: string[] = [];
  const unset: string[] = [];
  const text = source.replaceAll(occurrences, (found: string, name: string | undefined) => {
    if (found === '$${') return '${';
    if (name === undefined) {
      problems.push(
        `\`${found}\` is not \`\${NAME}\`; write \`$\${\` for the characters themselves`,
      );
      return found;
    }
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined) unset.push(notSet(name));
    return value ?? '';
  });
  return { text, whole: wholly.test(source), changed: true, problems, unset };
}

function notSet(name: string): string {
  return `the environment variable \`${name}\` is not set; set it, or write \`$\${${name}}\` if the text itself is meant`;
}
