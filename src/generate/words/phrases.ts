/** The texts that a language has of its own, beside the names and places of the faker library. */
export interface Phrases {
  /** What a row is about: its title, summary and body name the same one. */
  readonly topics: readonly string[];
  /** With `{topic}` in it. */
  readonly titles: readonly string[];
  /** With `{topic}` in it. */
  readonly sentences: readonly string[];
  /** With `{topic}` in it. */
  readonly questions: readonly string[];
  /** What readers answer. */
  readonly remarks: readonly string[];
  /** What buyers say, the most displeased first. */
  readonly reviews: readonly string[];
  /** What people say of themselves. */
  readonly bios: readonly string[];
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  /** What people can do. */
  readonly skills: readonly string[];
  /** A product is a quality, a material and a thing. */
  readonly products: readonly (readonly string[])[];
  /** What is said of a product. */
  readonly praises: readonly string[];
  /** A task is a verb and what it is done to. */
  readonly tasks: readonly (readonly string[])[];
  readonly events: readonly (readonly string[])[];
  readonly captions: readonly string[];
}
