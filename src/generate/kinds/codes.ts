import { listPool } from '../distinct/pool.ts';
import type { Random } from '../random.ts';
import type { SourceContext, Row } from '../source.ts';
import {
  digits,
  drawn,
  fromList,
  hex,
  letters,
  oneOf,
  secret,
  uuidOf,
  type Kind,
  type KindRow,
} from './kind.ts';
import { countryCodeOf } from './places.ts';

const path = (context: SourceContext): string => context.prefix.replaceAll(' ', '-') || 'files';
const host = 'https://example.com';
const picture = (width: number, height: number): Kind =>
  drawn(
    'image.url',
    (_, random) => `https://picsum.photos/seed/${hex(random, 8)}/${width}/${height}`,
  );

function withCheckDigit(body: string): string {
  let sum = 0;
  for (const [index, digit] of Array.from(body).entries())
    sum += Number(digit) * (index % 2 === 0 ? 1 : 3);
  return `${body}${(10 - (sum % 10)) % 10}`;
}

type File = readonly [extension: string, mimeType: string];
const files: readonly File[] = [
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['mp4', 'video/mp4'],
  ['mp3', 'audio/mpeg'],
];
const fileStems = ['report', 'invoice', 'photo', 'scan', 'notes', 'plan', 'draft'];

/** The file that a row is about. Its name, extension and MIME type match. */
function fileOf(row: Row): File {
  return row.shared('file', (random) => random.pick(files));
}

function fileKind(name: string, part: (file: File) => string): Kind {
  const pool = listPool(files.map(part));
  return () => ({ name, pool, draw: (_, row) => part(fileOf(row)) });
}

/** A code that is drawn, or numbered by its place if the field is unique. */
function coded(
  name: string,
  draw: (random: Random) => string,
  at: (place: number) => string,
  size: number,
): Kind {
  return () => ({ name, pool: { size, at }, draw: ({ random }) => draw(random) });
}

/** The code at a place: `count` letters, then at least `length` digits. */
function codeAt(place: number, count: number, joint: string, length: number): string {
  const letter = (index: number): string =>
    String.fromCodePoint(65 + (Math.floor(place / 26 ** index) % 26));
  const rest = String(Math.floor(place / 26 ** count)).padStart(length, '0');
  return Array.from({ length: count }, (_, index) => letter(index)).join('') + joint + rest;
}

/** A code made of nine digits. The digits are the place, so unique fields get distinct codes. */
function numbered(name: string, made: (digits: string) => string): Kind {
  const pool = { size: 1e9, at: (place: number) => made(String(place).padStart(9, '0')) };
  return () => ({ name, pool, draw: ({ random }) => pool.at(random.below(pool.size)) });
}

/** Countries that faker can make an IBAN for. */
const ibanCountries: ReadonlySet<string> = new Set(
  'AE AT AZ BE BR CH CZ DE DK ES FI FR GB GE GR HR HU IE IL IT LV MK NL NO PL PT RO RS SA SE SI SK TR'.split(
    ' ',
  ),
);

/** The VAT or tax numbers of companies: `#` is a digit. */
const taxNumbers: Readonly<Record<string, string>> = {
  AT: 'ATU########',
  BE: 'BE0#########',
  BR: '##.###.###/0001-##',
  CA: '######### RT0001',
  CH: 'CHE-###.###.### MWST',
  DE: 'DE#########',
  DK: 'DK########',
  ES: 'ESB########',
  FR: 'FR###########',
  GB: 'GB#########',
  IT: 'IT###########',
  JP: 'T#############',
  NL: 'NL#########B##',
  PL: 'PL##########',
  PT: 'PT5########',
  SE: 'SE##########01',
  US: '##-#######',
};

function taxNumber(random: Random, country: string): string {
  const form = taxNumbers[country] ?? `${country}#########`;
  return form.replaceAll('#', () => digits(random, 1));
}

export const codeKinds: readonly KindRow[] = [
  [
    'website,homepage,web site,site,web,blog,website url,homepage url',
    drawn('internet.url', ({ words }, random) => {
      const name = words.ascii(random.pick(words.lastNames), '') || 'www';
      return `https://${name}.example/`;
    }),
  ],
  [
    'password,passwd,passphrase,secret,client secret',
    drawn('internet.password', (_, random) => secret(random, 16)),
  ],
  [
    'password hash,hashed password,encrypted password',
    drawn('internet.passwordHash', (_, random) => `$2b$12$${secret(random, 53)}`),
  ],
  [
    'token,access token,refresh token,api key,secret key,session id,auth token',
    drawn('string.token', (_, random) => secret(random, 32)),
  ],
  [
    'hash,checksum,digest,fingerprint,sha256,etag',
    drawn('string.hexadecimal', (_, random) => hex(random, 64)),
  ],
  ['commit,sha,revision hash', drawn('git.commitSha', (_, random) => hex(random, 40))],
  [
    'uuid,guid,external id,correlation id,request id',
    drawn('string.uuid', (_, random) => uuidOf(random)),
  ],
  [
    'url,uri,link,href,permalink url,canonical url',
    drawn('internet.url', (context, random) => `${host}/${path(context)}/${hex(random, 8)}`),
  ],
  [
    'avatar,avatar url,profile picture,profile image,profile photo,photo url,portrait',
    picture(256, 256),
  ],
  [
    'image,image url,picture,picture url,photo,cover,cover url,cover image,banner,banner url,thumbnail,thumbnail url,thumb,poster,poster url,logo,logo url,icon url',
    picture(1200, 800),
  ],
  [
    'video,video url,audio,audio url,stream url,file url,download url,document url,media url',
    drawn('internet.fileUrl', (context, random) => `${host}/${path(context)}/${hex(random, 12)}`),
  ],
  [
    'file name,filename,original name,file',
    drawn(
      'system.fileName',
      (_, random, row) => `${random.pick(fileStems)}-${hex(random, 4)}.${fileOf(row)[0]}`,
    ),
  ],
  [
    'path,file path,directory,folder',
    drawn(
      'system.filePath',
      (_, random) =>
        `/${random.pick(['documents', 'images', 'exports'])}/${hex(random, 2)}/${hex(random, 8)}`,
    ),
  ],
  [
    'mime type,content type,media type,mime',
    fileKind('system.mimeType', ([, mimeType]) => mimeType),
  ],
  ['extension,file extension,ext', fileKind('system.fileExtension', ([extension]) => extension)],
  [
    'color,colour,color name',
    fromList(
      'color.human',
      ({ words }) => words.faker.rawDefinitions.color?.human ?? ['red', 'green', 'blue'],
    ),
  ],
  [
    'hex color,color hex,background color,text color,accent color,primary color,color code,hex',
    drawn('color.rgb', (_, random) => `#${hex(random, 6)}`),
  ],
  [
    'ip,ip address,ipv4,remote address,client ip,last ip',
    drawn('internet.ipv4', (_, random) => `203.0.113.${random.between(1, 254)}`),
  ],
  [
    'ipv6',
    drawn('internet.ipv6', (_, random) =>
      `2001:db8:${hex(random, 4)}:${hex(random, 4)}::${hex(random, 3)}`.replaceAll(
        /:0+(?=[0-9a-f])/gu,
        ':',
      ),
    ),
  ],
  [
    'mac,mac address',
    drawn('internet.mac', (_, random) => (hex(random, 12).match(/../gu) ?? []).join(':')),
  ],
  ['user agent', drawn('internet.userAgent', ({ words }) => words.faker.internet.userAgent())],
  [
    'domain,domain name,hostname,host name,host,server',
    drawn(
      'internet.domainName',
      ({ words }, random) => `${words.ascii(random.pick(words.lastNames), '') || 'www'}.example`,
    ),
  ],
  [
    'sku,article number,item number,product code,part number,model number,mpn',
    coded(
      'commerce.sku',
      (random) => `${letters(random, 3)}-${digits(random, 5)}`,
      (place) => codeAt(place, 3, '-', 5),
      26 ** 3 * 1e5,
    ),
  ],
  [
    'code,coupon,voucher,promo code,reference,ref,serial,serial number,tracking number,reference number,confirmation code',
    coded(
      'string.code',
      (random) => `${letters(random, 2)}${digits(random, 6)}`,
      (place) => codeAt(place, 2, '', 6),
      26 ** 2 * 1e6,
    ),
  ],
  [
    'order number,invoice number,order no,invoice no,ticket number,case number,number,customer number',
    coded(
      'string.number',
      (random) => `${random.between(2023, 2025)}-${digits(random, 6)}`,
      (place) => `${2023 + (place % 3)}-${String(Math.floor(place / 3)).padStart(6, '0')}`,
      3e6,
    ),
  ],
  ['ean,ean13,barcode,gtin,upc', numbered('commerce.ean', (text) => withCheckDigit(`400${text}`))],
  ['isbn,isbn13', numbered('commerce.isbn', (text) => withCheckDigit(`978${text}`))],
  [
    'iban,bank account',
    drawn('finance.iban', (context, _, row) => {
      const countryCode = countryCodeOf(context, row);
      const { finance } = context.words.faker;
      return finance.iban(ibanCountries.has(countryCode) ? { countryCode } : {});
    }),
  ],
  ['account number,account no', numbered('finance.accountNumber', (text) => text)],
  [
    'bic,swift,swift code',
    drawn(
      'finance.bic',
      (context, random, row) =>
        `${letters(random, 4)}${countryCodeOf(context, row)}${letters(random, 1)}${digits(random, 1)}`,
    ),
  ],
  [
    'vat,vat id,vat number,tax id,tax number',
    drawn('finance.taxId', (context, random, row) =>
      taxNumber(random, countryCodeOf(context, row)),
    ),
  ],
  [
    'card number,credit card',
    drawn(
      'finance.creditCardNumber',
      (_, random) => `4000 00${digits(random, 2)} ${digits(random, 4)} ${digits(random, 4)}`,
    ),
  ],
  ['vin', numbered('vehicle.vin', (text) => `WPX00Z5N${text}`)],
  [
    'version,release,app version,api version,firmware,firmware version',
    drawn(
      'system.semver',
      (_, random) => `${random.below(5)}.${random.below(12)}.${random.below(20)}`,
    ),
  ],
  [
    'emoji,icon',
    oneOf('internet.emoji', ['🌱', '📚', '🚲', '🎹', '🍞', '⛰️', '🎨', '🔧', '☕', '🐝']),
  ],
];
