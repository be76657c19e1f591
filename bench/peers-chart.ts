/** The rate of a server, as a share of Plinth's. */
export interface Bar {
  readonly peer: string;
  readonly question: string;
  readonly share: number;
}

const [width, label, line, gap] = [720, 190, 26, 34] as const;
const end = 70;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A chart of the rates, a part for each request: Plinth's is the longest unless another one is faster. As an SVG for both colour schemes. */
export function chartOf(bars: readonly Bar[]): string {
  const questions = [...Map.groupBy(bars, ({ question }) => question)];
  const parts: string[] = [];
  let y = 0;
  for (const [question, found] of questions) {
    const most = Math.max(1, ...found.map(({ share }) => share));
    parts.push(`<text class="head" x="0" y="${y + 18}">${escaped(question)}</text>`);
    y += gap;
    for (const { peer, share } of [{ peer: 'Plinth', share: 1 }, ...found]) {
      const long = Math.max(2, ((width - label - end) * share) / most);
      const kind = peer === 'Plinth' ? 'own' : 'other';
      parts.push(
        `<text x="${label - 10}" y="${y + 15}" text-anchor="end">${escaped(peer)}</text>`,
        `<rect class="${kind}" x="${label}" y="${y + 2}" width="${long.toFixed(1)}" height="17" rx="3"/>`,
        `<text x="${(label + long + 8).toFixed(1)}" y="${y + 15}">${share < 0.01 ? '< 0.01' : share.toFixed(2)}</text>`,
      );
      y += line;
    }
    y += gap / 2;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${Math.ceil(y)}" role="img" aria-label="Requests a second, as a share of Plinth’s">
<style>
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #3a3f47 }
.head { font-weight: 600 }
.own { fill: #2f6fdb } .other { fill: #a9b1bd }
@media (prefers-color-scheme: dark) { text { fill: #d5d9e0 } .own { fill: #6ea2ff } .other { fill: #5c6470 } }
</style>
${parts.join('\n')}
</svg>
`;
}
