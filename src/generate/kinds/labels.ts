import { listPool, type Pool } from '../distinct/pool.ts';
import type { Row, Source, Subject } from '../source.ts';
import type { Phrases } from '../words/languages.ts';
import type { Words } from '../words/words.ts';
import { moodOf } from './mood.ts';
import { fullName, persona } from './people.ts';

/** All texts made of one part of each list. */
function combined(lists: readonly (readonly string[])[], joint: string): Pool {
  return {
    size: lists.reduce((product, { length }) => product * length, 1),
    at: (place) => {
      let rest = place;
      const parts = lists.map((list) => {
        const part = list[rest % list.length] ?? '';
        rest = Math.floor(rest / list.length);
        return part;
      });
      return parts.join(joint);
    },
  };
}

const roles = ['admin', 'editor', 'author', 'member', 'viewer', 'support', 'billing', 'auditor'];

/** The labels of a subject that the language's phrases list, or make of lists of parts. */
function phrasePool(subject: Subject, phrases: Phrases, language: string): Pool | undefined {
  const joint = language === 'en' ? ' ' : '';
  const lists: Readonly<Partial<Record<Subject, readonly (readonly string[])[]>>> = {
    product: phrases.products,
    task: phrases.tasks,
    event: phrases.events,
    category: [phrases.categories],
    tag: [phrases.tags],
    skill: [phrases.skills],
    media: [phrases.captions],
  };
  const own = lists[subject];
  return own === undefined ? undefined : combined(own, joint);
}

function pooled(name: string, pool: Pool): Source {
  return { name, pool, draw: ({ random }) => pool.at(random.below(pool.size)) };
}

/** The source of a record's `name` or `title`. */
export function labelSource(subject: Subject, words: Words): Source {
  const { phrases, language } = words;
  const pool = phrases && phrasePool(subject, phrases, language);
  if (pool !== undefined) return pooled(`text.${subject}`, pool);
  if (subject === 'person')
    return { name: 'person.fullName', draw: (_, row) => fullName(words, persona(words, row, '')) };
  if (subject === 'country') return pooled('location.country', listPool(words.countries));
  if (subject === 'city') return pooled('location.city', listPool(words.cities));
  if (subject === 'company') return pooled('company.name', words.companies);
  if (subject === 'role') return pooled('text.role', listPool(roles));
  const listed = listedLabels(subject, words);
  if (listed !== undefined) return listed;
  const [name, label] = labels[subject] ?? ['text.title', titleOf];
  return { name, draw: (_, row) => label(words, row) };
}

/** Labels that faker lists. With a pool, a unique field uses the whole list before it appends numbers. */
function listedLabels(subject: Subject, { faker }: Words): Source | undefined {
  const { commerce, word, person } = faker.rawDefinitions;
  const lists: Readonly<Partial<Record<Subject, readonly [name: string, list: unknown]>>> = {
    category: ['commerce.department', commerce?.department],
    tag: ['word.noun', word?.noun],
    skill: ['person.jobType', person?.job_type],
  };
  const [name, list] = lists[subject] ?? [];
  if (name === undefined || !Array.isArray(list) || list.length === 0) return undefined;
  return pooled(name, listPool([...new Set(list.map(String))]));
}

type Label = (words: Words, row: Row) => string;

const place: readonly [name: string, label: Label] = [
  'text.place',
  ({ random, lastNames, terms }) =>
    random.pick(terms.places).replace('{name}', random.pick(lastNames)),
];
const labels: Readonly<Partial<Record<Subject, readonly [name: string, label: Label]>>> = {
  album: ['music.album', ({ faker }) => faker.music.album()],
  song: ['music.songName', ({ faker }) => faker.music.songName()],
  artist: ['music.artist', ({ faker }) => faker.music.artist()],
  book: ['book.title', ({ faker }) => faker.book.title()],
  genre: ['music.genre', ({ faker }) => faker.music.genre()],
  dish: ['food.dish', ({ faker }) => faker.food.dish()],
  vehicle: ['vehicle.vehicle', ({ faker }) => faker.vehicle.vehicle()],
  product: ['commerce.productName', ({ faker }) => faker.commerce.productName()],
  team: [
    'team.name',
    ({ faker, random, cities }) => `${random.pick(cities)} ${capitalized(faker.animal.type())}`,
  ],
  place,
  home: place,
};

/** The topic that the title, summary and body of a row share. */
function topicOf({ phrases }: Words, row: Row): string {
  return phrases === undefined ? '' : row.shared('topic', (random) => random.pick(phrases.topics));
}

function titleOf(words: Words, row: Row): string {
  const { phrases, faker, random } = words;
  if (phrases === undefined) return capitalized(faker.lorem.words(random.between(3, 6)));
  return random.pick(phrases.titles).replace('{topic}', topicOf(words, row));
}

/** A question about the topic of the row. */
export function questionOf(words: Words, row: Row): string {
  const { phrases, faker, random } = words;
  if (phrases === undefined) return `${faker.lorem.sentence().slice(0, -1)}?`;
  return random.pick(phrases.questions).replace('{topic}', topicOf(words, row));
}

/** Sentences about the topic of the row, without repetition unless `count` exceeds the list. */
export function sentences(words: Words, row: Row, count: number): string {
  const { phrases, faker, random } = words;
  if (phrases === undefined) return faker.lorem.sentences(count);
  const topic = topicOf(words, row);
  const first = random.below(phrases.sentences.length);
  // A step that does not divide the length visits every sentence before one repeats.
  const step =
    [1, 5, 7, 11].find((one) => one > random.below(6) && phrases.sentences.length % one !== 0) ?? 1;
  return Array.from({ length: count }, (_, index) => {
    const sentence = phrases.sentences[(first + index * step) % phrases.sentences.length] ?? '';
    return sentence.replaceAll('{topic}', topic);
  }).join(words.joint);
}

/** A text from a list of phrases; a review matches the mood of the row. Without phrases, a sentence of faker. */
export function phrase(
  { phrases, faker, random }: Words,
  which: 'remarks' | 'reviews' | 'bios' | 'captions',
  row: Row,
): string {
  if (phrases === undefined) return faker.lorem.sentence();
  const list = phrases[which];
  return which === 'reviews'
    ? (list[Math.floor(moodOf(row) * list.length)] ?? '')
    : random.pick(list);
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
