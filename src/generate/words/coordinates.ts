/** Places well inside of countries, as latitude and longitude, and what is paid with there. */
const lines =
  'AE 24.2 55.0 AED,AM 40.2 44.8 AMD,AR -34.6 -61.0 ARS,AT 47.6 14.2 EUR,AU -33.3 148.5 AUD,AZ 40.3 47.6 AZN,BD 24.0 90.2 BDT,' +
  'BE 50.6 4.7 EUR,BR -20.3 -44.8 BRL,CA 45.3 -75.9 CAD,CH 46.9 8.1 CHF,CN 32.0 118.5 CNY,CZ 49.7 15.3 CZK,DE 51.0 10.2 EUR,' +
  'DK 56.2 9.3 DKK,EG 30.4 31.2 EGP,ES 40.4 -3.7 EUR,FI 61.5 25.0 EUR,FR 46.8 2.4 EUR,GB 52.6 -1.3 GBP,GE 41.9 44.2 GEL,' +
  'GH 6.7 -1.5 GHS,GR 39.6 22.0 EUR,HR 45.6 16.4 EUR,HU 47.1 19.4 HUF,ID -7.2 110.2 IDR,IE 53.2 -7.8 EUR,IL 31.9 34.95 ILS,' +
  'IN 23.2 77.4 INR,IR 35.6 51.6 IRR,IT 44.7 10.9 EUR,JP 36.2 138.4 JPY,KR 36.6 127.9 KRW,LV 56.8 25.0 EUR,MK 41.6 21.6 MKD,' +
  'MV 4.2 73.5 MVR,MX 20.6 -101.2 MXN,NG 8.9 7.4 NGN,NL 52.2 5.6 EUR,NO 60.9 10.4 NOK,NP 27.7 85.2 NPR,PL 52.1 19.3 PLN,' +
  'PT 39.8 -8.0 EUR,RO 45.6 25.0 RON,RS 44.2 20.9 RSD,RU 55.6 38.4 RUB,SA 24.6 46.7 SAR,SE 59.2 15.3 SEK,SI 46.1 14.8 EUR,' +
  'SK 48.7 19.2 EUR,SN 14.7 -15.9 XOF,TH 15.2 100.8 THB,TR 39.2 33.0 TRY,TW 23.9 120.8 TWD,UA 49.4 31.3 UAH,US 40.1 -83.0 USD,' +
  'UZ 40.3 67.9 UZS,VN 21.1 105.6 VND,ZA -26.4 28.1 ZAR';

const byCode = new Map(
  lines.split(',').map((line) => {
    const [code = '', latitude, longitude, currency = ''] = line.split(' ');
    return [code, { center: [Number(latitude), Number(longitude)] as const, currency }];
  }),
);

/** A place in a country from which 60 km in every direction are in it or near it; undefined for one not known. */
export function centerOf(code: string): readonly [latitude: number, longitude: number] | undefined {
  return byCode.get(code)?.center;
}

/** The code of what is paid with in a country; undefined for one not known. */
export function currencyOf(code: string): string | undefined {
  return byCode.get(code)?.currency;
}
