/** What anything may be called: a ship, a sensor, a project, a cat. */
const latin =
  'Aurora,Atlas,Orion,Vega,Juno,Nova,Luna,Castor,Pollux,Sirius,Altair,Rigel,Mira,Lyra,Ariel,Calypso,Electra,Iris,Janus,Kepler,' +
  'Leda,Maia,Nereid,Oberon,Pandora,Rhea,Selene,Titan,Vesta,Zephyr,Argo,Boreas,Ceres,Daphne,Echo,Flora,Gaia,Helios,Hydra,Jade,' +
  'Kestrel,Lynx,Meridian,Nimbus,Onyx,Phoenix,Quartz,Raven,Saturn,Terra,Umbra,Vulcan,Willow,Yarrow,Zenith,Basil,Cedar,Ember,Indigo,Solaris';
const japanese =
  'オーロラ,アトラス,オリオン,ベガ,ジュノー,ノヴァ,ルナ,カストル,シリウス,アルタイル,リゲル,ミラ,リラ,アリエル,カリプソ,エレクトラ,イリス,ヤヌス,ケプラー,レダ,' +
  'マイア,オベロン,パンドラ,レア,セレネ,タイタン,ベスタ,ゼファー,アルゴ,ケレス,ダフネ,エコー,フローラ,ガイア,ヘリオス,ヒドラ,フェニックス,ゼニス,ソラリス,ニンバス';

/** Names of a language for what has no words of its own. */
export function properNamesOf(language: string): readonly string[] {
  return (language === 'ja' ? japanese : latin).split(',');
}
