/** A city and the region that it is in. */
export type City = readonly [city: string, region: string];

/** Addresses of one country, beside those of the locale. */
export interface Country {
  readonly code: string;
  /** What telephone numbers begin with, and how many digits follow. */
  readonly dial: readonly [prefix: string, digits: number];
  /** `#` is a digit, `@` a letter. */
  readonly zip: string;
  /** Whether a street's name comes before the number of the house. */
  readonly streetFirst: boolean;
  readonly cities: readonly City[];
  readonly streets: readonly string[];
}

type Line = readonly [
  head: string,
  zip: string,
  streetFirst: boolean,
  cities: string,
  streets: string,
];

const lines: readonly Line[] = [
  [
    'AT +43660 7',
    '####',
    true,
    'Wien:Wien,Graz:Steiermark,Linz:Oberösterreich,Salzburg:Salzburg,Innsbruck:Tirol,Klagenfurt:Kärnten,Wels:Oberösterreich,Villach:Kärnten,Dornbirn:Vorarlberg,Sankt Pölten:Niederösterreich,Eisenstadt:Burgenland',
    'Bahnhofstraße,Mozartgasse,Ringstraße,Schulgasse,Lindenweg,Hauptplatz',
  ],
  [
    'AU +614 8',
    '####',
    false,
    'Sydney:New South Wales,Melbourne:Victoria,Brisbane:Queensland,Perth:Western Australia,Adelaide:South Australia,Hobart:Tasmania,Darwin:Northern Territory,Geelong:Victoria,Cairns:Queensland,Newcastle:New South Wales',
    'Beach Road,Wattle Street,Station Street,Acacia Avenue,Bay Street,Railway Parade',
  ],
  [
    'CA +1416 7',
    '@#@ #@#',
    false,
    'Toronto:Ontario,Montreal:Québec,Vancouver:British Columbia,Calgary:Alberta,Ottawa:Ontario,Halifax:Nova Scotia,Winnipeg:Manitoba,Québec:Québec,Victoria:British Columbia,Regina:Saskatchewan',
    'Maple Street,Lakeshore Road,King Street,Birch Avenue,Harbour Street,Mill Road',
  ],
  [
    'CH +4179 7',
    '####',
    true,
    'Zürich:Zürich,Genève:Genève,Basel:Basel-Stadt,Lausanne:Vaud,Bern:Bern,Winterthur:Zürich,Luzern:Luzern,Lugano:Ticino,Biel:Bern,Aarau:Aargau',
    'Seestrasse,Bahnhofstrasse,Dorfstrasse,Bergstrasse,Mühleweg,Kirchgasse',
  ],
  [
    'DE +49151 8',
    '#####',
    true,
    'Berlin:Berlin,Hamburg:Hamburg,München:Bayern,Köln:Nordrhein-Westfalen,Frankfurt am Main:Hessen,Stuttgart:Baden-Württemberg,Leipzig:Sachsen,Dresden:Sachsen,Bremen:Bremen,Hannover:Niedersachsen,Freiburg im Breisgau:Baden-Württemberg,Rostock:Mecklenburg-Vorpommern,Nürnberg:Bayern,Regensburg:Bayern,Düsseldorf:Nordrhein-Westfalen,Münster:Nordrhein-Westfalen,Kassel:Hessen,Mainz:Rheinland-Pfalz,Trier:Rheinland-Pfalz,Saarbrücken:Saarland,Erfurt:Thüringen,Jena:Thüringen,Halle (Saale):Sachsen-Anhalt,Magdeburg:Sachsen-Anhalt,Potsdam:Brandenburg,Kiel:Schleswig-Holstein,Lübeck:Schleswig-Holstein,Oldenburg:Niedersachsen,Ulm:Baden-Württemberg,Würzburg:Bayern',
    'Gartenstraße,Schillerstraße,Am Markt,Lindenallee,Bergstraße,Goetheplatz',
  ],
  [
    'ES +346 8',
    '#####',
    true,
    'Madrid:Madrid,Barcelona:Cataluña,Valencia:Comunidad Valenciana,Sevilla:Andalucía,Zaragoza:Aragón,Málaga:Andalucía,Bilbao:País Vasco,Granada:Andalucía,Córdoba:Andalucía,Gijón:Asturias,Vigo:Galicia,Pamplona:Navarra,Salamanca:Castilla y León,Toledo:Castilla-La Mancha',
    'Calle Mayor,Calle Real,Avenida del Mar,Calle de la Luna,Paseo del Prado',
  ],
  [
    'FR +336 8',
    '#####',
    false,
    'Paris:Île-de-France,Lyon:Auvergne-Rhône-Alpes,Marseille:Provence-Alpes-Côte d’Azur,Toulouse:Occitanie,Nantes:Pays de la Loire,Lille:Hauts-de-France,Bordeaux:Nouvelle-Aquitaine,Rennes:Bretagne,Grenoble:Auvergne-Rhône-Alpes,Dijon:Bourgogne-Franche-Comté,Strasbourg:Grand Est,Rouen:Normandie,Tours:Centre-Val de Loire,Montpellier:Occitanie,Nice:Provence-Alpes-Côte d’Azur,Angers:Pays de la Loire,Brest:Bretagne,Reims:Grand Est,Nancy:Grand Est,Amiens:Hauts-de-France,Limoges:Nouvelle-Aquitaine,Pau:Nouvelle-Aquitaine,Besançon:Bourgogne-Franche-Comté,Caen:Normandie,Orléans:Centre-Val de Loire',
    'Rue de la Gare,Rue des Lilas,Avenue Victor Hugo,Rue du Moulin,Quai des Brumes',
  ],
  [
    'GB +447 9',
    '@@# #@@',
    false,
    'London:Greater London,Leeds:West Yorkshire,Bristol:Bristol,Manchester:Greater Manchester,Glasgow:Scotland,Cardiff:Wales,York:North Yorkshire,Norwich:Norfolk,Exeter:Devon,Edinburgh:Scotland,Ipswich:Suffolk,Canterbury:Kent,Truro:Cornwall',
    'Church Lane,High Street,Mill Road,Station Road,Orchard Close,Victoria Terrace',
  ],
  [
    'IE +35385 7',
    '@## @@##',
    false,
    'Dublin:Leinster,Cork:Munster,Galway:Connacht,Limerick:Munster,Waterford:Munster,Sligo:Connacht,Kilkenny:Leinster,Ennis:Munster,Tralee:Munster,Athlone:Leinster,Letterkenny:Ulster',
    'Bridge Street,Abbey Road,Shop Street,Harbour View,Castle Street',
  ],
  [
    'IT +393 9',
    '#####',
    true,
    'Roma:Lazio,Milano:Lombardia,Torino:Piemonte,Bologna:Emilia-Romagna,Firenze:Toscana,Genova:Liguria,Verona:Veneto,Padova:Veneto,Trieste:Friuli-Venezia Giulia,Parma:Emilia-Romagna,Napoli:Campania,Palermo:Sicilia,Bari:Puglia,Perugia:Umbria',
    'Via Roma,Via Garibaldi,Via dei Mille,Corso Italia,Piazza del Duomo',
  ],
  [
    'NL +316 8',
    '#### @@',
    true,
    'Amsterdam:Noord-Holland,Rotterdam:Zuid-Holland,Utrecht:Utrecht,Eindhoven:Noord-Brabant,Groningen:Groningen,Haarlem:Noord-Holland,Leiden:Zuid-Holland,Delft:Zuid-Holland,Arnhem:Gelderland,Breda:Noord-Brabant,Zwolle:Overijssel,Maastricht:Limburg',
    'Kerkstraat,Molenweg,Stationsweg,Prinsengracht,Dorpsstraat,Julianalaan',
  ],
  [
    'SE +467 8',
    '### ##',
    true,
    'Stockholm:Stockholm,Göteborg:Västra Götaland,Malmö:Skåne,Uppsala:Uppsala,Västerås:Västmanland,Örebro:Örebro,Linköping:Östergötland,Umeå:Västerbotten,Lund:Skåne,Gävle:Gävleborg,Visby:Gotland,Halmstad:Halland',
    'Storgatan,Skolgatan,Kungsgatan,Björkvägen,Strandvägen,Kyrkogatan',
  ],
  [
    'US +1555 7',
    '#####',
    false,
    'Chicago:Illinois,Boston:Massachusetts,Seattle:Washington,Denver:Colorado,Austin:Texas,Portland:Oregon,Atlanta:Georgia,Phoenix:Arizona,Oakland:California,Baltimore:Maryland,Columbus:Ohio,Nashville:Tennessee,Minneapolis:Minnesota,Milwaukee:Wisconsin,Tucson:Arizona,Sacramento:California,Raleigh:North Carolina,Omaha:Nebraska,Tulsa:Oklahoma,Wichita:Kansas,Tampa:Florida,Cleveland:Ohio,Pittsburgh:Pennsylvania,Cincinnati:Ohio,Buffalo:New York,Boise:Idaho,Richmond:Virginia,Spokane:Washington,Des Moines:Iowa,Albuquerque:New Mexico,San Diego:California,Houston:Texas,Louisville:Kentucky,Salt Lake City:Utah,Burlington:Vermont,Savannah:Georgia',
    'Oak Street,Maple Avenue,Washington Street,Lake Drive,Second Avenue,Park Road',
  ],
];

/** `city:region,…` */
export function citiesOf(list: string): readonly City[] {
  return list.split(',').map((line) => {
    const [city = '', region = ''] = line.split(':');
    return [city, region];
  });
}

/** Countries that addresses may be in, by their codes. */
export const countries: readonly Country[] = lines.map(
  ([head, zip, streetFirst, cities, streets]) => {
    const [code = '', prefix = '', digits = '0'] = head.split(' ');
    return {
      code,
      dial: [prefix, Number(digits)],
      zip,
      streetFirst,
      cities: citiesOf(cities),
      streets: streets.split(','),
    };
  },
);
