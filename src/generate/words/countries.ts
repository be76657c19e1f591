/** Addresses of one country, beside those of the locale. */
export interface Country {
  readonly code: string;
  /** What telephone numbers begin with, and how many digits follow. */
  readonly dial: readonly [prefix: string, digits: number];
  /** `#` is a digit, `@` a letter. */
  readonly zip: string;
  /** Whether a street's name comes before the number of the house. */
  readonly streetFirst: boolean;
  readonly cities: readonly string[];
  readonly regions: readonly string[];
  readonly streets: readonly string[];
}

type Line = readonly [
  head: string,
  zip: string,
  streetFirst: boolean,
  cities: string,
  regions: string,
  streets: string,
];

const lines: readonly Line[] = [
  [
    'AT +43660 7',
    '####',
    true,
    'Wien,Graz,Linz,Salzburg,Innsbruck,Klagenfurt,Wels,Villach,Dornbirn,Steyr',
    'Burgenland,Kärnten,Niederösterreich,Oberösterreich,Steiermark,Tirol,Vorarlberg',
    'Bahnhofstraße,Mozartgasse,Ringstraße,Schulgasse,Lindenweg,Hauptplatz',
  ],
  [
    'AU +614 8',
    '####',
    false,
    'Sydney,Melbourne,Brisbane,Perth,Adelaide,Hobart,Darwin,Geelong,Cairns,Newcastle',
    'New South Wales,Queensland,South Australia,Tasmania,Victoria,Western Australia',
    'Beach Road,Wattle Street,Station Street,Acacia Avenue,Bay Street,Railway Parade',
  ],
  [
    'CA +1416 7',
    '@#@ #@#',
    false,
    'Toronto,Montreal,Vancouver,Calgary,Ottawa,Halifax,Winnipeg,Québec,Victoria,Regina',
    'Alberta,British Columbia,Manitoba,Nova Scotia,Ontario,Québec,Saskatchewan',
    'Maple Street,Lakeshore Road,King Street,Birch Avenue,Harbour Street,Mill Road',
  ],
  [
    'CH +4179 7',
    '####',
    true,
    'Zürich,Genève,Basel,Lausanne,Bern,Winterthur,Luzern,Lugano,Biel,Thun',
    'Aargau,Bern,Genf,Luzern,Tessin,Waadt,Zürich',
    'Seestrasse,Bahnhofstrasse,Dorfstrasse,Bergstrasse,Mühleweg,Kirchgasse',
  ],
  [
    'DE +49151 8',
    '#####',
    true,
    'Berlin,Hamburg,München,Köln,Leipzig,Dresden,Bremen,Hannover,Freiburg,Rostock',
    'Bayern,Berlin,Hamburg,Hessen,Niedersachsen,Nordrhein-Westfalen,Sachsen',
    'Gartenstraße,Schillerstraße,Am Markt,Lindenallee,Bergstraße,Goetheplatz',
  ],
  [
    'ES +346 8',
    '#####',
    true,
    'Madrid,Barcelona,Valencia,Sevilla,Zaragoza,Málaga,Bilbao,Granada,Córdoba,Gijón',
    'Andalucía,Aragón,Asturias,Cataluña,Galicia,Madrid,Navarra',
    'Calle Mayor,Calle Real,Avenida del Mar,Calle de la Luna,Paseo del Prado',
  ],
  [
    'FR +336 8',
    '#####',
    false,
    'Paris,Lyon,Marseille,Toulouse,Nantes,Lille,Bordeaux,Rennes,Grenoble,Dijon',
    'Bretagne,Grand Est,Normandie,Nouvelle-Aquitaine,Occitanie,Pays de la Loire',
    'Rue de la Gare,Rue des Lilas,Avenue Victor Hugo,Rue du Moulin,Quai des Brumes',
  ],
  [
    'GB +447 9',
    '@@# #@@',
    false,
    'London,Leeds,Bristol,Manchester,Glasgow,Cardiff,York,Norwich,Exeter,Edinburgh',
    'Cornwall,Devon,Essex,Kent,Norfolk,Somerset,Suffolk',
    'Church Lane,High Street,Mill Road,Station Road,Orchard Close,Victoria Terrace',
  ],
  [
    'IE +35385 7',
    '@## @@##',
    false,
    'Dublin,Cork,Galway,Limerick,Waterford,Sligo,Kilkenny,Ennis,Tralee,Athlone',
    'Connacht,Leinster,Munster,Ulster',
    'Bridge Street,Abbey Road,Shop Street,Harbour View,Castle Street',
  ],
  [
    'IT +393 9',
    '#####',
    true,
    'Roma,Milano,Torino,Bologna,Firenze,Genova,Verona,Padova,Trieste,Parma',
    'Emilia-Romagna,Lazio,Liguria,Lombardia,Piemonte,Toscana,Veneto',
    'Via Roma,Via Garibaldi,Via dei Mille,Corso Italia,Piazza del Duomo',
  ],
  [
    'NL +316 8',
    '#### @@',
    true,
    'Amsterdam,Rotterdam,Utrecht,Eindhoven,Groningen,Haarlem,Leiden,Delft,Arnhem,Breda',
    'Drenthe,Friesland,Gelderland,Groningen,Limburg,Utrecht,Zeeland',
    'Kerkstraat,Molenweg,Stationsweg,Prinsengracht,Dorpsstraat,Julianalaan',
  ],
  [
    'SE +467 8',
    '### ##',
    true,
    'Stockholm,Göteborg,Malmö,Uppsala,Västerås,Örebro,Linköping,Umeå,Lund,Gävle',
    'Dalarna,Gotland,Halland,Skåne,Småland,Uppland,Värmland',
    'Storgatan,Skolgatan,Kungsgatan,Björkvägen,Strandvägen,Kyrkogatan',
  ],
  [
    'US +1555 7',
    '#####',
    false,
    'Chicago,Boston,Seattle,Denver,Austin,Portland,Atlanta,Phoenix,Oakland,Baltimore',
    'California,Colorado,Georgia,Illinois,Massachusetts,Oregon,Texas,Washington',
    'Oak Street,Maple Avenue,Washington Street,Lake Drive,Second Avenue,Park Road',
  ],
];

/** Countries that addresses may be in, by their codes. */
export const countries: readonly Country[] = lines.map(
  ([head, zip, streetFirst, cities, regions, streets]) => {
    const [code = '', prefix = '', digits = '0'] = head.split(' ');
    return {
      code,
      dial: [prefix, Number(digits)],
      zip,
      streetFirst,
      cities: cities.split(','),
      regions: regions.split(','),
      streets: streets.split(','),
    };
  },
);
