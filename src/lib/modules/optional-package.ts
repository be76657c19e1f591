/** An install lacks packages that are optional. */
export class MissingPackages extends Error {
  /** For what they are needed: `Generated data`. */
  readonly use: string;
  readonly names: readonly string[];

  constructor(use: string, names: readonly string[], cause: unknown) {
    const packages = names.length === 1 ? 'package' : 'packages';
    super(`${use} needs the ${packages} ${names.join(', ')}`, { cause });
    this.use = use;
    this.names = names;
  }
}

/** Loads optional packages, or a module that imports them. */
export async function loadOptional<Module>(
  use: string,
  names: readonly string[],
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const isMissing =
      error instanceof Error &&
      (error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND' &&
      names.some((name) => error.message.includes(`'${name}'`));
    throw isMissing ? new MissingPackages(use, names, error) : error;
  }
}
