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
  /** What companies live on. */
  readonly industries: readonly string[];
  readonly diagnoses: readonly string[];
  readonly allergens: readonly string[];
  /** What money is sent for. */
  readonly purposes: readonly string[];
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
  industries:
    'Agriculture,Automotive,Banking,Construction,Consulting,Education,Energy,Fashion,Food and Beverage,Furniture,Health Care,Hospitality,Insurance,Logistics,Media,Mechanical Engineering,Real Estate,Retail,Software,Telecommunications,Tourism',
  diagnoses:
    'Asthma,Bronchitis,Chronic back pain,Eczema,Fractured wrist,Gastritis,Hay fever,High blood pressure,Influenza,Migraine,Sinusitis,Sprained ankle,Tonsillitis,Type 2 diabetes',
  allergens:
    'bee venom,cow’s milk,dust mites,eggs,grass pollen,latex,nuts,peanuts,penicillin,shellfish,soy,wheat',
  purposes:
    'Book order,Car insurance,Deposit,Electricity bill,Gym membership,Groceries,Invoice,Monthly rent,Phone bill,Refund,Salary,Savings,Subscription,Train ticket,Travel expenses',
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
  industries:
    'Automobil,Bankwesen,Bauwesen,Beratung,Bildung,Einzelhandel,Energie,Gastronomie,Gesundheitswesen,Immobilien,Landwirtschaft,Lebensmittel,Logistik,Maschinenbau,Medien,Mode,Möbel,Software,Telekommunikation,Tourismus,Versicherungen',
  diagnoses:
    'Asthma,Bluthochdruck,Bronchitis,Diabetes Typ 2,Ekzem,Gastritis,Grippe,Heuschnupfen,Mandelentzündung,Migräne,Nasennebenhöhlenentzündung,Rückenschmerzen,Verstauchter Knöchel,Bruch des Handgelenks',
  allergens:
    'Bienengift,Eier,Erdnüsse,Gräserpollen,Hausstaubmilben,Kuhmilch,Latex,Meeresfrüchte,Nüsse,Penicillin,Soja,Weizen',
  purposes:
    'Abonnement,Bahnfahrkarte,Bücher,Einkauf,Erstattung,Gehalt,Kaution,Kfz-Versicherung,Miete,Mitgliedsbeitrag,Rechnung,Reisekosten,Sparen,Stromabschlag,Telefonrechnung',
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
  industries:
    'Agriculture,Alimentation,Ameublement,Assurances,Automobile,Banque,Bâtiment,Commerce de détail,Conseil,Éducation,Énergie,Hôtellerie,Immobilier,Logistique,Logiciels,Mécanique,Médias,Mode,Santé,Télécommunications,Tourisme',
  diagnoses:
    'Angine,Asthme,Bronchite,Diabète de type 2,Eczéma,Entorse de la cheville,Fracture du poignet,Gastrite,Grippe,Hypertension,Lombalgie,Migraine,Rhume des foins,Sinusite',
  allergens:
    'acariens,arachides,blé,crustacés,fruits à coque,lait de vache,latex,œufs,pénicilline,pollen de graminées,soja,venin d’abeille',
  purposes:
    'Abonnement,Assurance auto,Billet de train,Caution,Cotisation,Courses,Épargne,Facture,Facture d’électricité,Facture de téléphone,Frais de déplacement,Livres,Loyer,Remboursement,Salaire',
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
  industries:
    '農業,自動車,銀行,建設,コンサルティング,教育,エネルギー,アパレル,食品,家具,医療,宿泊,保険,物流,メディア,機械,不動産,小売,ソフトウェア,通信,観光',
  diagnoses:
    '喘息,気管支炎,腰痛,湿疹,手首の骨折,胃炎,花粉症,高血圧,インフルエンザ,片頭痛,副鼻腔炎,足首の捻挫,扁桃炎,2型糖尿病',
  allergens: '蜂毒,牛乳,ダニ,卵,イネ科花粉,ラテックス,ナッツ,落花生,ペニシリン,甲殻類,大豆,小麦',
  purposes:
    '本代,自動車保険,敷金,電気代,会費,食料品,請求書,家賃,電話代,返金,給与,貯金,購読料,乗車券,出張費',
};

const portuguese: Lists = {
  places: 'Casa {name},Espaço {name},Sala {name},Villa {name},Pavilhão {name},Jardim {name}',
  materials: 'algodão,linho,carvalho,aço,vidro,couro,lã,cerâmica',
  departments:
    'Atendimento,Compras,Comunicação,Contabilidade,Desenvolvimento,Jurídico,Logística,Marketing,Pesquisa,Produção,Recursos Humanos,Vendas',
  jobs: 'Analista de dados,Analista financeiro,Assistente administrativo,Bibliotecária,Contabilista,Consultoria jurídica,Coordenação de projetos,Cozinheiro,Design gráfico,Docente,Editora,Eletricista,Engenharia mecânica,Fotógrafa,Gerente de loja,Gestora de produto,Jornalista,Suporte de informática,Técnica de enfermagem,Tradutora,Vendas externas',
  salutations: 'Sra.,Sr.',
  ingredients:
    'azeite,alho,cebola,cenoura,tomate,limão,manteiga,farinha,ovos,açúcar,arroz,feijão,batata,cogumelos,espinafre,salsa,coentro,pimenta-do-reino,sal,caldo de legumes',
  amenities:
    'wi-fi,estacionamento,café da manhã,jardim,elevador,piscina,sauna,academia,aluguel de bicicletas,ar-condicionado,varanda,aceita animais',
  continents: 'África,América do Norte,América do Sul,Ásia,Europa,Oceania',
  industries:
    'Agricultura,Alimentos,Automotivo,Bancos,Comércio,Construção,Consultoria,Educação,Energia,Hotelaria,Imóveis,Logística,Máquinas,Mídia,Moda,Móveis,Saúde,Seguros,Software,Telecomunicações,Turismo',
  diagnoses:
    'Amigdalite,Asma,Bronquite,Diabetes tipo 2,Eczema,Entorse do tornozelo,Enxaqueca,Fratura do punho,Gastrite,Gripe,Hipertensão,Lombalgia,Rinite alérgica,Sinusite',
  allergens:
    'ácaros,amendoim,camarão,látex,leite de vaca,nozes,ovos,penicilina,pólen de gramíneas,soja,trigo,veneno de abelha',
  purposes:
    'Aluguel,Assinatura,Conta de luz,Conta de telefone,Depósito,Despesas de viagem,Fatura,Livros,Mensalidade,Passagem,Poupança,Reembolso,Salário,Seguro do carro,Supermercado',
};

const spanish: Lists = {
  places: 'Casa {name},Espacio {name},Sala {name},Villa {name},Pabellón {name},Jardín {name}',
  materials: 'algodón,lino,roble,acero,vidrio,cuero,lana,cerámica',
  departments:
    'Asesoría jurídica,Atención al cliente,Compras,Comunicación,Contabilidad,Desarrollo,Investigación,Logística,Marketing,Producción,Recursos Humanos,Ventas',
  jobs: 'Analista de datos,Analista financiero,Asistente de dirección,Bibliotecaria,Carpintero,Consultoría jurídica,Contable,Coordinación de proyectos,Cocinera,Diseño gráfico,Docente,Editora,Electricista,Fotógrafa,Gerente de tienda,Ingeniería mecánica,Periodista,Soporte informático,Técnica de enfermería,Traductora,Ventas',
  salutations: 'Sra.,Sr.',
  ingredients:
    'aceite de oliva,ajo,cebolla,zanahoria,tomate,limón,mantequilla,nata,harina,huevos,azúcar,arroz,lentejas,patatas,setas,espinacas,perejil,tomillo,pimienta,sal,caldo de verduras',
  amenities:
    'wifi,aparcamiento,desayuno,jardín,ascensor,piscina,sauna,gimnasio,alquiler de bicicletas,aire acondicionado,terraza,se admiten mascotas',
  continents: 'África,América del Norte,América del Sur,Asia,Europa,Oceanía',
  industries:
    'Agricultura,Alimentación,Automóvil,Banca,Comercio,Construcción,Consultoría,Educación,Energía,Hostelería,Inmobiliaria,Logística,Maquinaria,Medios,Moda,Muebles,Sanidad,Seguros,Software,Telecomunicaciones,Turismo',
  diagnoses:
    'Amigdalitis,Asma,Bronquitis,Diabetes tipo 2,Eccema,Esguince de tobillo,Fractura de muñeca,Gastritis,Gripe,Hipertensión,Lumbalgia,Migraña,Rinitis alérgica,Sinusitis',
  allergens:
    'ácaros,cacahuetes,frutos secos,huevos,látex,leche de vaca,marisco,penicilina,polen de gramíneas,soja,trigo,veneno de abeja',
  purposes:
    'Ahorro,Alquiler,Billete de tren,Compra,Cuota de socio,Depósito,Factura,Factura de la luz,Factura de teléfono,Gastos de viaje,Libros,Nómina,Reembolso,Seguro del coche,Suscripción',
};

const listsOf: Readonly<Record<string, Lists>> = {
  en: english,
  de: german,
  es: spanish,
  fr: french,
  ja: japanese,
  pt: portuguese,
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
    industries: lists.industries.split(','),
    diagnoses: lists.diagnoses.split(','),
    allergens: lists.allergens.split(','),
    purposes: lists.purposes.split(','),
  };
}
