import type { NaturalRange } from '../distinct/pool.ts';
import type { Subject } from '../source.ts';
import { endingsOf } from './names.ts';

const money: NaturalRange = { min: 4.99, max: 249.99, step: 0.5 };
const count: NaturalRange = { min: 0, max: 500 };

/** Kinds of numbers: the endings of field names, the name of the kind and its usual range. */
const kinds: readonly (readonly [names: string, name: string, range: NaturalRange])[] = [
  [
    'price,unit price,cost,cost price,fee,list price,sale price,net price,gross price,shipping,charge,fare',
    'commerce.price',
    money,
  ],
  [
    'amount,total,subtotal,sum,grand total,total price,net,gross,value,revenue,turnover',
    'finance.amount',
    { min: 10, max: 2000 },
  ],
  [
    'old price,original price,previous price,was price,regular price,compare at price,msrp,rrp',
    'commerce.formerPrice',
    money,
  ],
  ['tax,tax amount,discount,discount amount,tip', 'finance.tax', { min: 0, max: 50 }],
  ['balance,credit,budget,limit,deposit', 'finance.balance', { min: 0, max: 10_000 }],
  ['salary,income,wage', 'finance.salary', { min: 28_000, max: 120_000, step: 500 }],
  ['quantity,qty,amount ordered,units,copies,pieces', 'number.quantity', { min: 1, max: 12 }],
  ['stock,inventory,in stock,stock level,on hand,available', 'number.stock', { min: 0, max: 250 }],
  [
    'count,views,likes,downloads,followers,visits,clicks,shares,plays,comments count,hits,reads',
    'number.count',
    { min: 0, max: 5_000 },
  ],
  [
    'votes,upvotes,downvotes,participants,attendees,members,seats,capacity,guests',
    'number.people',
    { min: 1, max: 300 },
  ],
  ['adults,number of adults', 'number.adults', { min: 1, max: 4 }],
  ['children,kids,infants,dependents', 'number.children', { min: 0, max: 3 }],
  ['days left,days remaining,remaining days,vacation days', 'number.daysLeft', { min: 0, max: 30 }],
  ['heart rate,pulse,bpm', 'health.heartRate', { min: 55, max: 100 }],
  [
    'protein,fat,carbs,carbohydrates,sugar,fiber,fibre',
    'food.grams',
    { min: 0, max: 60, scale: 1 },
  ],
  ['years of experience,experience,experience years,years', 'number.years', { min: 1, max: 25 }],
  ['runtime,running time,runtime minutes', 'number.runtime', { min: 80, max: 180 }],
  ['gpa,grade point average', 'number.gpa', { min: 1.5, max: 4, scale: 1 }],
  ['population,inhabitants', 'location.population', { min: 900, max: 2_500_000 }],
  ['rent,monthly rent', 'finance.rent', { min: 450, max: 2_800, step: 10 }],
  ['room,room number', 'number.room', { min: 101, max: 524 }],
  ['horsepower,hp', 'vehicle.horsepower', { min: 65, max: 420 }],
  ['helpful count,helpful,helpful votes', 'number.helpful', { min: 0, max: 60 }],
  [
    'rating,stars,review score,rating average,average rating,rating rate,rating value,rating score',
    'number.rating',
    { min: 1, max: 5, scale: 1 },
  ],
  ['score,points,karma,xp', 'number.score', { min: 0, max: 100 }],
  ['age', 'person.age', { min: 18, max: 85 }],
  [
    'year,release year,founded,publication year,built,vintage',
    'date.year',
    { min: 1980, max: 2025 },
  ],
  ['birth year,year of birth', 'date.birthYear', { min: 1945, max: 2005 }],
  ['month', 'date.month', { min: 1, max: 12 }],
  ['day,day of month', 'date.day', { min: 1, max: 28 }],
  ['hour', 'date.hour', { min: 0, max: 23 }],
  ['week', 'date.week', { min: 1, max: 52 }],
  [
    'percent,percentage,progress,completion,share,humidity,utilization,usage,cpu,battery,battery level',
    'number.percentage',
    { min: 0, max: 100 },
  ],
  ['rate,tax rate,vat rate,interest rate,ratio', 'number.rate', { min: 0, max: 25 }],
  ['weight,mass,weight kg,weight in kg', 'number.weight', { min: 0.1, max: 40 }],
  [
    'height,width,length,depth,diameter,height cm,width cm,length cm,depth cm,height in cm',
    'number.size',
    { min: 1, max: 200 },
  ],
  ['image width,image height,pixels', 'image.size', { min: 320, max: 2400, step: 80 }],
  ['area,square meters,sqm', 'number.area', { min: 20, max: 250 }],
  ['distance,mileage,kilometers,km,miles', 'number.distance', { min: 1, max: 500 }],
  ['duration,seconds,length seconds', 'number.seconds', { min: 20, max: 3_600 }],
  [
    'minutes,reading minutes,reading time,prep time,cook time,duration minutes',
    'number.minutes',
    { min: 2, max: 45 },
  ],
  ['hours,duration hours,estimate,estimated hours', 'number.hours', { min: 1, max: 40 }],
  ['days,nights,duration days', 'number.days', { min: 1, max: 21 }],
  ['milliseconds,ms,latency,response time', 'number.milliseconds', { min: 5, max: 400_000 }],
  [
    'position,order,rank,sort order,sort,index,sequence,ordinal,number,no,track number',
    'number.position',
    { min: 1, max: 20 },
  ],
  ['level,priority,floor,grade,tier,stage', 'number.level', { min: 1, max: 5 }],
  ['floors,rooms,bedrooms,bathrooms,doors', 'number.rooms', { min: 1, max: 8 }],
  ['size,bytes,file size,size bytes', 'number.bytes', { min: 1_024, max: 5_000_000 }],
  ['pages,page count,number of pages', 'number.pages', { min: 48, max: 640 }],
  ['lat,latitude', 'location.latitude', { min: -60, max: 70, scale: 6 }],
  ['lng,lon,long,longitude', 'location.longitude', { min: -180, max: 180, scale: 6 }],
  ['altitude,elevation', 'location.elevation', { min: 0, max: 3_000 }],
  ['temperature,temp', 'number.temperature', { min: -10, max: 35, scale: 1 }],
  ['speed', 'number.speed', { min: 0, max: 130 }],
  ['calories,kcal', 'number.calories', { min: 80, max: 900 }],
  ['servings,portions', 'number.servings', { min: 1, max: 8 }],
  ['port', 'internet.port', { min: 1_024, max: 65_535 }],
  ['version,revision,attempt,attempts,retries', 'number.version', { min: 1, max: 9 }],
  ['status code,http status', 'internet.httpStatusCode', { min: 200, max: 204 }],
  ['interval,frequency', 'number.interval', { min: 1, max: 60 }],
];

/** The kinds by ending. */
export const numberKinds: ReadonlyMap<
  string,
  { readonly name: string; readonly range: NaturalRange }
> = new Map(
  kinds.flatMap(([names, name, range]) =>
    endingsOf(names).map((ending) => [ending, { name, range }]),
  ),
);

/** Prices of subjects that cost less or more than most. */
const prices: Readonly<Partial<Record<Subject, NaturalRange>>> = {
  song: { min: 0.69, max: 1.99, step: 0.1 },
  album: { min: 4.99, max: 29.99, step: 0.5 },
  book: { min: 4.99, max: 39.99, step: 0.5 },
  dish: { min: 3.5, max: 34.5, step: 0.5 },
  event: { min: 5, max: 120, step: 1 },
  home: { min: 120_000, max: 950_000, step: 1_000 },
  vehicle: { min: 4_990, max: 59_990, step: 100 },
};

const bodyTemperature: NaturalRange = { min: 36, max: 39, scale: 1 };
const drivenDistance: NaturalRange = { min: 900, max: 180_000 };

/** The range of a kind of number in records of a subject. */
export function rangeOf(
  { name, range }: { readonly name: string; readonly range: NaturalRange },
  subject: Subject,
): NaturalRange {
  if (name === 'number.temperature' && subject === 'person') return bodyTemperature;
  if (name === 'number.distance' && subject === 'vehicle') return drivenDistance;
  const isPrice = name === 'commerce.price' || name === 'commerce.formerPrice';
  return (isPrice ? prices[subject] : undefined) ?? range;
}

/** The kind of a number whose name tells nothing. */
export const anyNumber = { name: 'number.int', range: { ...count, min: 1, max: 1_000 } };

/** The share of booleans that are true, by the last part of the field's name; half of them by default. */
export function shareOfTrue(tokens: readonly string[]): number {
  const [last = ''] = tokens.slice(-1);
  const rare =
    /^(?:deleted|archived|banned|blocked|hidden|locked|disabled|spam|cancelled|canceled|expired|pinned|featured|admin|staff|urgent|flagged|returned|refunded)$/u;
  const usual =
    /^(?:active|enabled|verified|published|available|visible|public|approved|confirmed|paid|subscribed|accepted|valid|stock|taxable)$/u;
  if (rare.test(last)) return 0.1;
  return usual.test(last) ? 0.8 : 0.5;
}
