import { singular } from '../../lib/text/singular.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { listPool } from '../distinct/pool.ts';
import { spelled, type Spelling } from '../distinct/spelling.ts';
import type { Words } from '../words/words.ts';
import type { SourceContext, Row, Source, Subject } from '../source.ts';
import { codeKinds } from './codes.ts';
import { drawn, fromList, letters, oneOf, type Kind, type KindRow } from './kind.ts';
import { placeKinds } from './places.ts';
import { tradeKinds } from './trades.ts';
import { capitalized, labelSource, phrase, questionOf, sentences } from './labels.ts';
import { endingsOf, isWritten, subjectNamed, subjectOf } from './names.ts';
import {
  accountWords,
  emailOf,
  fullName,
  initialsOf,
  isRare,
  persona,
  type Persona,
} from './people.ts';

/** Fields that hold the label of a record, in the order of preference. */
const labelFields = ['title', 'name', 'headline', 'label', 'subject'] as const;

/** The label of a record, or of an object in it: the value of its label field, else what that would hold. */
export function labelText(context: SourceContext): (row: Row) => string {
  const { field, fields, isPart, prefix, subject, words } = context;
  const { resource } = field;
  const isOfObject = isPart && prefix !== '';
  const isLabel = (name: string): boolean => {
    const one = fields.get(name);
    // A title with a format, such as a slug, is itself made from the label.
    if (one === undefined || one.attributes.format !== undefined) return false;
    if (isOfObject && one === resource.fields.get(name)) return false;
    return one.type.text !== undefined;
  };
  const sibling = context.siblingOf(labelFields.filter(isLabel));
  const label = isOfObject
    ? titleKind({ ...context, tokens: [...prefix.split(' '), 'name'] })
    : labelSource(subject, words);
  return (row) => {
    const value = sibling === undefined ? null : row.sibling(sibling);
    if (typeof value === 'string' && value !== '') return value;
    const drawn = (): string => String(label.draw(words, row));
    return isOfObject ? drawn() : row.shared('label', drawn);
  };
}

const slugSpelling: Spelling = { joints: ['-', '_', '.', '/', ''], heads: ['', '/'] };

const slug: Kind = (context) => {
  const label = labelText(context);
  const { field } = context;
  // Unique slugs get the number of their row anyway.
  const numbered = ({ number }: Row): readonly string[] =>
    field.unique ? ['entry'] : ['entry', String(number)];
  return {
    name: 'text.slug',
    draw: (words, row) => {
      const text = words.ascii(label(row), ' ');
      // A text in a script that cannot be romanised may leave nothing or only digits.
      return spelled(/[a-z]/u.test(text) ? text.split(' ') : numbered(row), slugSpelling, field);
    },
  };
};

const person = (part: (one: Persona, words: Words) => string, name: string): Kind =>
  drawn(name, ({ words, prefix }, _, row) => part(persona(words, row, prefix), words));

/** `authorName`, `author` and `authorEmail` share a person; `fullName` is the row's own. */
const namedPerson: Kind = ({ tokens, words }) => {
  const whose = tokens.filter((token) => !/^(?:name|full|display)$/u.test(token)).join(' ');
  return { name: 'person.fullName', draw: (_, row) => fullName(words, persona(words, row, whose)) };
};

/** What joins the parts of an account's name. */
const accountJoints = ['.', '_', ''] as const;

const kinds: readonly KindRow[] = [
  ...placeKinds,
  ...codeKinds,
  ...tradeKinds,
  [
    'first name,given name,forename,vorname,name first',
    person((one) => one.firstName, 'person.firstName'),
  ],
  [
    'last name,surname,family name,nachname,name last',
    person((one) => one.lastName, 'person.lastName'),
  ],
  ['middle name', fromList('person.middleName', ({ words }) => words.firstNames)],
  [
    'full name,display name,author name,contact name,customer name,recipient,recipient name,contact,signer,owner name,employee name,created by,updated by,author,assignee,reporter,composer,director,lyricist,editor,translator,instructor,teacher,doctor,driver,sender,sender name,organizer,organiser,owner,holder,account holder,payee,payer,counterparty,beneficiary,supervisor,coach,trainer,speaker,approver,reviewer,contact person',
    namedPerson,
  ],
  [
    'from,to',
    (context) =>
      context.subject === 'remark'
        ? namedPerson(context)
        : fromList('location.city', ({ words }) => words.cities)(context),
  ],
  [
    'username,user name,login,nickname,nick,screen name,handle,account name',
    drawn('internet.username', ({ words, prefix, field }, random, row) => {
      const one = persona(words, row, prefix);
      const joint = random.pick(accountJoints);
      return spelled(
        accountWords(words, one),
        { joints: [joint, ...accountJoints], heads: [''] },
        field,
      );
    }),
  ],
  ['email,e mail,mail,email address,mail address', (context) => emailKind(context)],
  [
    'initials',
    drawn('person.initials', ({ words, prefix }, _, row) =>
      initialsOf(words, persona(words, row, prefix)),
    ),
  ],
  [
    'company,company name,organization,organisation,employer,vendor,manufacturer,supplier,sponsor,client name,business name',
    (context) => labelSource('company', context.words),
  ],
  [
    'brand,brand name,make',
    drawn('company.brand', ({ words, subject }, random) =>
      subject === 'vehicle' ? words.faker.vehicle.manufacturer() : random.pick(words.lastNames),
    ),
  ],
  [
    'model,model name',
    (context) =>
      context.subject === 'vehicle'
        ? { name: 'vehicle.model', draw: ({ faker }) => faker.vehicle.model() }
        : {
            name: 'text.model',
            draw: ({ random }) => `${letters(random, 2)}-${random.between(100, 990)}`,
          },
  ],
  ['publisher', drawn('book.publisher', ({ words }) => words.faker.book.publisher())],
  ['job title,job,position,occupation,profession,designation', ({ words }) => jobSource(words)],
  ['department,division', fromList('company.department', ({ words }) => words.terms.departments)],
  ['title,name,headline,label,subject,caption,heading', (context) => titleKind(context)],
  ['slug,permalink,url key,url slug,path segment', slug],
  [
    'description,summary,excerpt,abstract,teaser,details,intro,introduction,overview,lead',
    (context) => summaryKind(context),
  ],
  [
    'subtitle,tagline,slogan,motto,catch phrase,short description,meta description',
    (context) => taglineKind(context),
  ],
  [
    'body,content,text,article,html,markdown,story,long description,post',
    drawn('text.paragraphs', ({ words, subject }, _, row) =>
      subject === 'remark' || subject === 'review'
        ? phrase(words, `${subject}s`, row)
        : paragraphs(words, (count) => sentences(words, row, count)),
    ),
  ],
  [
    'message,comment,note,notes,remark,remarks,reply,answer,reason,opinion,quote',
    drawn('text.remark', ({ words, subject }, _, row) =>
      phrase(words, subject === 'review' ? 'reviews' : 'remarks', row),
    ),
  ],
  [
    'review,feedback,testimonial',
    drawn('text.review', ({ words }, _, row) => phrase(words, 'reviews', row)),
  ],
  [
    'bio,biography,about,about me,self description',
    drawn('person.bio', ({ words }, _, row) => phrase(words, 'bios', row)),
  ],
  ['question', drawn('text.question', ({ words }, _, row) => questionOf(words, row))],
  [
    'alt,alt text,photo caption,image caption',
    drawn('text.caption', ({ words }, _, row) => phrase(words, 'captions', row)),
  ],
  [
    'status,order status,payment status',
    oneOf('text.status', ['new', 'active', 'pending', 'completed', 'cancelled']),
  ],
  ['role', oneOf('text.role', ['admin', 'editor', 'author', 'member', 'viewer'])],
  ['type,kind', oneOf('text.type', ['standard', 'premium', 'basic', 'special'])],
  ['category,section,group,topic,theme', (context) => labelSource('category', context.words)],
  [
    'genre',
    drawn('text.genre', ({ words: { faker }, subject }) =>
      /^(?:song|album|artist)$/u.test(subject) ? faker.music.genre() : faker.book.genre(),
    ),
  ],
  ['priority,severity,importance', oneOf('text.priority', ['low', 'medium', 'high', 'urgent'])],
  ['tag,keyword,tags,keywords,labels,interests', (context) => labelSource('tag', context.words)],
  ['skill,skills', (context) => labelSource('skill', context.words)],
  [
    'gender,sex',
    person(({ sex, chance }) => (isRare(chance) ? 'nonbinary' : sex), 'person.gender'),
  ],
  ['size', oneOf('text.size', ['XS', 'S', 'M', 'L', 'XL'])],
  ['unit,unit of measure', oneOf('text.unit', ['piece', 'kg', 'g', 'l', 'm', 'box'])],
  ['material', fromList('commerce.material', ({ words }) => words.terms.materials)],
  [
    'salutation,honorific,name title',
    person(({ sex }, { terms }) => terms.salutations[sex], 'person.prefix'),
  ],
  [
    'industry,industries,sector,line of business',
    fromList('company.industry', ({ words }) => words.terms.industries),
  ],
  [
    'diagnosis,diagnoses,medical condition',
    fromList('health.diagnosis', ({ words }) => words.terms.diagnoses),
  ],
  [
    'allergy,allergies,allergen,allergens',
    fromList('health.allergen', ({ words }) => words.terms.allergens),
  ],
  [
    'blood type,blood group',
    oneOf('health.bloodType', ['O+', 'A+', 'B+', 'AB+', 'O-', 'A-', 'B-', 'AB-']),
  ],
  [
    'purpose,payment purpose,transfer purpose,remittance information',
    fromList('finance.purpose', ({ words }) => words.terms.purposes),
  ],
  [
    'ingredient,ingredients,ingredient name',
    fromList('food.ingredient', ({ words }) => words.terms.ingredients),
  ],
  [
    'amenity,amenities,facility,facilities',
    fromList('text.amenity', ({ words }) => words.terms.amenities),
  ],
  [
    'payment method',
    oneOf('finance.paymentMethod', ['card', 'invoice', 'paypal', 'transfer', 'cash']),
  ],
  [
    'carrier,shipping method',
    oneOf('commerce.shipping', ['standard', 'express', 'pickup', 'freight']),
  ],
  ['product,product name,item,item name', (context) => labelSource('product', context.words)],
  ['venue,venue name', (context) => labelSource('place', context.words)],
  ['song,track,track name', (context) => labelSource('song', context.words)],
  ['album,album title', (context) => labelSource('album', context.words)],
  ['artist,artist name,band', (context) => labelSource('artist', context.words)],
];

/** The kinds by ending. */
export const textKinds: ReadonlyMap<string, Kind> = new Map(
  kinds.flatMap(([names, kind]) => endingsOf(names).map((name) => [name, kind] as const)),
);

/** Subjects whose word as a field name (`user`, `bank`, `hotel`) means that the field holds a name. */
const named: ReadonlySet<Subject | undefined> = new Set([
  'person',
  'company',
  'place',
  'team',
  'dish',
]);
/** These words are too ambiguous for that. */
const unclear =
  /^(?:account|profile|address|parent|child|lead|guide|subscriber|member|section|item)$/u;

/** The source of a field that is named after a person, a company or the like. */
export function subjectKind(context: SourceContext): Source | undefined {
  const { tokens, words } = context;
  const last = tokens.at(-1) ?? '';
  const subject = subjectNamed(last);
  if (subject === undefined || !named.has(subject) || unclear.test(singular(last)))
    return undefined;
  return subject === 'person' ? namedPerson(context) : labelSource(subject, words);
}

export const emailKind: Kind = (context) => ({
  name: 'internet.email',
  draw: (words, row) => emailOf(words, row, context.prefix),
});

/** The `title` of a person is a job. Other titles and names are the label of the record or of the prefix. */
function titleKind(context: SourceContext): Source {
  const { tokens, words, prefix } = context;
  const named = prefix === '' ? 'article' : subjectOf(prefix);
  const subject = named === 'article' ? context.subject : named;
  const isTitle = tokens.at(-1) === 'title';
  if (subject === 'person' && isTitle) return jobSource(words);
  // An object inside a person has a proper name. For a field such as `petName`, a person's name will do.
  if (subject === 'person' && named === 'article' && prefix !== '' && context.isPart)
    return properName(words);
  if (subject === 'person')
    return {
      name: 'person.fullName',
      draw: (_, row) => fullName(words, persona(words, row, prefix)),
    };
  if (subject === 'article' && tokens.at(-1) === 'name' && !isWritten(context.field.resource.name))
    return properName(words);
  const label = labelSource(subject, words);
  const concept = prefix === '' ? 'label' : `label ${prefix}`;
  return { ...label, draw: (_, row) => row.shared(concept, () => label.draw(words, row)) };
}

/** The name of a record of an unknown subject. */
function properName({ properNames }: Words): Source {
  const pool = listPool(properNames);
  return { name: 'text.name', pool, draw: ({ random }) => pool.at(random.below(pool.size)) };
}

function jobSource({ terms }: Words): Source {
  const pool = listPool(terms.jobs);
  return {
    name: 'person.jobTitle',
    ...(pool.size === 0 ? {} : { pool }),
    draw: ({ random, faker }) =>
      pool.size === 0 ? faker.person.jobTitle() : pool.at(random.below(pool.size)),
  };
}

function summaryKind({ subject, words }: SourceContext): Source {
  if (subject === 'product')
    return {
      name: 'commerce.productDescription',
      draw: () => {
        const { phrases, random, faker } = words;
        if (phrases === undefined) return faker.commerce.productDescription();
        const first = random.below(phrases.praises.length);
        const second =
          (first + 1 + random.below(phrases.praises.length - 1)) % phrases.praises.length;
        return `${phrases.praises[first]}${words.joint}${phrases.praises[second]}`;
      },
    };
  return {
    name: 'text.summary',
    draw: ({ random }, row) => sentences(words, row, random.between(1, 3)),
  };
}

function taglineKind({ words }: SourceContext): Source {
  return { name: 'text.sentence', draw: (_, row) => sentences(words, row, 1) };
}

function paragraphs({ random, joint }: Words, make: (count: number) => string): string {
  const sizes = Array.from({ length: random.between(2, 3) }, () => random.between(3, 5));
  const all = make(sizes.reduce((sum, size) => sum + size, 0)).split(
    /(?<=[.?!]) |(?<=[。？！])(?=.)/u,
  );
  let from = 0;
  return sizes
    .map((size) => {
      from += size;
      return all.slice(from - size, from).join(joint);
    })
    .filter((text) => text !== '')
    .join('\n\n');
}

/** A text whose name tells nothing: a few words or sentences of the locale. */
export function anyText(context: SourceContext, isLong: boolean): Source {
  if (isLong)
    return {
      name: 'text.sentences',
      draw: ({ random }, row) => sentences(context.words, row, random.between(1, 3)),
    };
  return {
    name: 'text.words',
    draw: ({ faker, random, phrases }) =>
      phrases === undefined
        ? capitalized(faker.lorem.words(random.between(1, 3)))
        : capitalized(random.pick(phrases.topics)),
  };
}

/** The value of a `json` field, or of an object without declared properties. */
export function anyJson(random: Words['random'], tags: readonly string[]): JsonValue {
  return {
    source: random.pick(['web', 'app', 'import']),
    tags: [random.pick(tags)],
    weight: random.between(1, 100),
  };
}
