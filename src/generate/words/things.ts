/** Short words of a language, for fields that hold one of few. */
export interface Things {
  /** With `{name}`, that of a person, in it. */
  readonly places: readonly string[];
  readonly materials: readonly string[];
  readonly departments: readonly string[];
  /** What people do for a living; none where there are no words of the language's own. */
  readonly jobs: readonly string[];
  /** Of women and of men. */
  readonly salutations: readonly [women: string, men: string];
  readonly ingredients: readonly string[];
  /** What houses offer to their guests. */
  readonly amenities: readonly string[];
  readonly continents: readonly string[];
}

type Lists = Readonly<Record<Exclude<keyof Things, 'salutations'>, string>> & {
  readonly salutations: string;
};

const english: Lists = {
  places:
    '{name} House,{name} Hall,{name} Square,{name} Corner,{name} Garden,{name} Centre,{name} Court',
  materials: 'cotton,linen,oak,steel,glass,leather,wool,ceramic',
  departments:
    'Accounting,Customer Service,Engineering,Human Resources,Legal,Logistics,Marketing,Operations,Purchasing,Research,Sales',
  jobs: 'Accountant,Account Manager,Architect,Buyer,Carpenter,Chef,Copywriter,Data Analyst,Editor,Electrician,Event Planner,Financial Adviser,Graphic Designer,Lawyer,Librarian,Mechanical Engineer,Nurse,Office Manager,Photographer,Product Manager,Sales Representative,Software Engineer,Support Engineer,Teacher,Translator,Warehouse Manager',
  salutations: 'Ms,Mr',
  ingredients:
    'olive oil,garlic,onions,carrots,celery,tomatoes,lemon,butter,cream,flour,eggs,sugar,rice,lentils,potatoes,mushrooms,spinach,parsley,thyme,black pepper,sea salt,vegetable stock',
  amenities:
    'wifi,parking,breakfast,garden,lift,pool,sauna,gym,bike rental,air conditioning,terrace,pets allowed',
  continents: 'Africa,Asia,Europe,North America,Oceania,South America',
};

const german: Lists = {
  places:
    'Haus {name},{name} am Markt,{name} am Park,Villa {name},Saal {name},{name} an der Brücke',
  materials: 'Baumwolle,Leinen,Eiche,Stahl,Glas,Leder,Wolle,Keramik',
  departments:
    'Buchhaltung,Einkauf,Entwicklung,Forschung,Kundendienst,Logistik,Marketing,Personal,Produktion,Recht,Vertrieb',
  jobs: 'Assistenz der Geschäftsführung,Bauleitung,Buchhaltung,Einkauf,Elektrotechnik,Filialleitung,Grafikdesign,IT-Support,Kundenberatung,Lagerleitung,Lektorat,Maschinenbau,Pflegeleitung,Produktmanagement,Projektleitung,Rechtsberatung,Redaktion,Softwareentwicklung,Teamleitung,Übersetzung,Veranstaltungsplanung,Vertrieb',
  salutations: 'Frau,Herr',
  ingredients:
    'Olivenöl,Knoblauch,Zwiebeln,Karotten,Sellerie,Tomaten,Zitrone,Butter,Sahne,Mehl,Eier,Zucker,Reis,Linsen,Kartoffeln,Pilze,Spinat,Petersilie,Thymian,Pfeffer,Salz,Gemüsebrühe',
  amenities:
    'WLAN,Parkplatz,Frühstück,Garten,Aufzug,Schwimmbad,Sauna,Fitnessraum,Fahrradverleih,Klimaanlage,Terrasse,Haustiere erlaubt',
  continents: 'Afrika,Asien,Europa,Nordamerika,Ozeanien,Südamerika',
};

const french: Lists = {
  places: 'Maison {name},Villa {name},Salle {name},Espace {name},Pavillon {name},Jardin {name}',
  materials: 'coton,lin,chêne,acier,verre,cuir,laine,céramique',
  departments:
    'Achats,Comptabilité,Direction juridique,Développement,Logistique,Marketing,Production,Recherche,Ressources humaines,Service client,Ventes',
  jobs: 'Architecte,Assistance de direction,Bibliothécaire,Chargé d’affaires,Comptable,Cuisine et traiteur,Électricité du bâtiment,Enseignement,Gestion de projet,Gestion des stocks,Graphisme,Juriste,Journaliste,Photographe,Responsable des achats,Responsable du personnel,Secrétariat de rédaction,Spécialiste des données,Support informatique,Vente en magasin',
  salutations: 'Mme,M.',
  ingredients:
    'huile d’olive,ail,oignons,carottes,céleri,tomates,citron,beurre,crème,farine,œufs,sucre,riz,lentilles,pommes de terre,champignons,épinards,persil,thym,poivre,sel,bouillon de légumes',
  amenities:
    'wifi,parking,petit-déjeuner,jardin,ascenseur,piscine,sauna,salle de sport,location de vélos,climatisation,terrasse,animaux acceptés',
  continents: 'Afrique,Asie,Europe,Amérique du Nord,Océanie,Amérique du Sud',
};

const japanese: Lists = {
  places: '{name}会館,{name}ホール,{name}荘,{name}亭,{name}館,{name}庭園',
  materials: '綿,麻,オーク材,スチール,ガラス,革,ウール,陶器',
  departments: '経理部,人事部,総務部,営業部,開発部,研究部,法務部,物流部,購買部,広報部,企画部',
  jobs: '営業担当,経理担当,人事担当,編集者,翻訳者,建築士,看護師,教師,司書,写真家,料理人,電気技師,機械設計者,デザイナー,データ分析者,ソフトウェア開発者,店長,倉庫管理者,法務担当,企画担当',
  salutations: '様,様',
  ingredients:
    '醤油,味噌,みりん,酒,砂糖,塩,米,卵,豆腐,大根,人参,玉ねぎ,長ねぎ,生姜,にんにく,じゃがいも,椎茸,ほうれん草,鶏肉,鮭,昆布だし,ごま油',
  amenities:
    '無線LAN,駐車場,朝食,庭,エレベーター,プール,サウナ,ジム,貸自転車,冷暖房,露天風呂,ペット可',
  continents: 'アフリカ,アジア,ヨーロッパ,北アメリカ,オセアニア,南アメリカ',
};

const listsOf: Readonly<Record<string, Lists>> = {
  en: english,
  de: german,
  fr: french,
  ja: japanese,
};

/** Those of a language; English ones where it has none. */
export function thingsOf(language: string): Things {
  const lists = listsOf[language] ?? english;
  const [women = '', men = ''] = lists.salutations.split(',');
  return {
    places: lists.places.split(','),
    materials: lists.materials.split(','),
    departments: lists.departments.split(','),
    jobs: language in listsOf ? lists.jobs.split(',') : [],
    salutations: [women, men],
    ingredients: lists.ingredients.split(','),
    amenities: lists.amenities.split(','),
    continents: lists.continents.split(','),
  };
}
