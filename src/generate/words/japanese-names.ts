import { citiesOf } from './countries.ts';

/** Names of people and places in Japan; those of people with how they are read, as their e-mail addresses say it. */
const lastNames =
  '佐藤 sato 鈴木 suzuki 高橋 takahashi 田中 tanaka 伊藤 ito 渡辺 watanabe 山本 yamamoto 中村 nakamura 小林 kobayashi 加藤 kato ' +
  '吉田 yoshida 山田 yamada 佐々木 sasaki 山口 yamaguchi 松本 matsumoto 井上 inoue 木村 kimura 林 hayashi 斎藤 saito 清水 shimizu ' +
  '山崎 yamazaki 森 mori 池田 ikeda 橋本 hashimoto 阿部 abe 石川 ishikawa 山下 yamashita 中島 nakajima 石井 ishii 小川 ogawa ' +
  '前田 maeda 岡田 okada 長谷川 hasegawa 藤田 fujita 後藤 goto 近藤 kondo 村上 murakami 遠藤 endo 青木 aoki 坂本 sakamoto ' +
  '藤井 fujii 西村 nishimura 福田 fukuda 太田 ota 三浦 miura 岡本 okamoto 松田 matsuda 中川 nakagawa 中野 nakano 原田 harada ' +
  '小野 ono 田村 tamura 竹内 takeuchi 金子 kaneko 和田 wada 中山 nakayama 石田 ishida 上田 ueda 森田 morita 原 hara';
const women =
  '陽菜 hina 結衣 yui 葵 aoi さくら sakura 美咲 misaki 凛 rin 結菜 yuna 莉子 riko 美優 miyu 愛 ai 由美 yumi 直美 naomi 恵子 keiko ' +
  '裕子 hiroko 智子 tomoko 真由美 mayumi 久美子 kumiko 香織 kaori 彩 aya 麻衣 mai 優子 yuko 奈々 nana 千尋 chihiro 美穂 miho ' +
  '沙織 saori 桃子 momoko 春香 haruka 綾香 ayaka 明美 akemi 詩織 shiori';
const men =
  '蓮 ren 陽翔 haruto 大翔 hiroto 悠真 yuma 健太 kenta 大輔 daisuke 翔太 shota 拓也 takuya 直樹 naoki 健一 kenichi 浩 hiroshi ' +
  '誠 makoto 隆 takashi 翼 tsubasa 亮 ryo 達也 tatsuya 和也 kazuya 雄太 yuta 一郎 ichiro 修 osamu 剛 tsuyoshi 学 manabu 徹 toru ' +
  '茂 shigeru 純 jun 慎太郎 shintaro 祐介 yusuke 大樹 daiki 海斗 kaito 涼太 ryota';

const pairs = (list: string): readonly (readonly [name: string, reading: string])[] =>
  [...list.matchAll(/(\S+) (\S+)/gu)].map(([, name = '', reading = '']) => [name, reading]);
const names = (list: string): readonly string[] => pairs(list).map(([name]) => name);

export const japaneseNames = {
  lastNames: names(lastNames),
  women: names(women),
  men: names(men),
  readings: new Map([lastNames, women, men].flatMap(pairs)) as ReadonlyMap<string, string>,
  cities: citiesOf(
    '札幌市:北海道,仙台市:宮城県,さいたま市:埼玉県,千葉市:千葉県,横浜市:神奈川県,川崎市:神奈川県,新潟市:新潟県,金沢市:石川県,長野市:長野県,静岡市:静岡県,浜松市:静岡県,名古屋市:愛知県,京都市:京都府,大阪市:大阪府,堺市:大阪府,神戸市:兵庫県,奈良市:奈良県,岡山市:岡山県,広島市:広島県,松山市:愛媛県,高知市:高知県,福岡市:福岡県,北九州市:福岡県,熊本市:熊本県,長崎市:長崎県,鹿児島市:鹿児島県,那覇市:沖縄県,盛岡市:岩手県,秋田市:秋田県,宇都宮市:栃木県',
  ),
  streets: [
    '本町',
    '中央',
    '緑町',
    '栄町',
    '桜町',
    '港町',
    '旭町',
    '東町',
    '大手町',
    '若葉',
  ].flatMap((area) => [1, 2, 3, 4].map((part) => `${area}${part}丁目`)),
};
