import type { FieldInfo, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import {
  boxWidth,
  headHeight,
  heightOf,
  lineHeight,
  padding,
  shapeOf,
  type Box,
} from './geometry.ts';
import type { Cardinality, SchemaEdge } from './relations.ts';

const margin = 24;

/** The diagram as a picture of its own, in light colours. */
export function asSvg(boxes: readonly Box[], edges: readonly SchemaEdge[]): string {
  const byName = new Map(boxes.map((box) => [box.resource.name, box]));
  const [left, top] = [Math.min(...boxes.map(({ x }) => x)), Math.min(...boxes.map(({ y }) => y))];
  const width = Math.max(...boxes.map(({ x }) => x + boxWidth)) - left + 2 * margin + 80;
  const height = Math.max(...boxes.map((box) => box.y + heightOf(box))) - top + 2 * margin;
  const lines = edges.flatMap((edge) => {
    const [source, target] = [byName.get(edge.source), byName.get(edge.target)];
    if (source === undefined || target === undefined) return [];
    const { path, middle, ends } = shapeOf(source, target, edge);
    const dash = edge.kind === 'key' ? '' : ' stroke-dasharray="6 4"';
    return [
      `<path d="${path}" fill="none" stroke="#8c9496"${dash}/>`,
      text(middle.x, middle.y - 4, edge.label, 'middle', '#545c5f', 11),
      text(ends[0].x, ends[0].y, edge.atSource, ends[0].anchor, '#545c5f', 11),
      text(ends[1].x, ends[1].y, edge.atTarget, ends[1].anchor, '#545c5f', 11),
    ];
  });
  const drawn = boxes.flatMap((box) => [
    `<g transform="translate(${box.x},${box.y})">`,
    `<rect width="${boxWidth}" height="${heightOf(box)}" rx="6" fill="#fff" stroke="#8c9496"/>`,
    text(12, 22, box.resource.name, 'start', '#1b2022', 13, 600),
    `<path d="M0,${headHeight} H${boxWidth}" stroke="#d0d5d6"/>`,
    ...box.shown.flatMap((field, index) => {
      const y = headHeight + padding + index * lineHeight + 14;
      return [
        text(12, y, cut(field.name, 20), 'start', '#1b2022', 12),
        text(boxWidth - 12, y, cut(typeText(field), 14), 'end', '#545c5f', 12),
      ];
    }),
    '</g>',
  ]);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left - margin} ${top - margin} ${width} ${height}" font-family="Inter, system-ui, sans-serif">`,
    `<rect x="${left - margin}" y="${top - margin}" width="${width}" height="${height}" fill="#fff"/>`,
    ...lines,
    ...drawn,
    '</svg>',
  ].join('\n');
}

function text(
  x: number,
  y: number,
  content: string,
  anchor: string,
  color: string,
  size: number,
  weight = 400,
): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${color}" font-size="${size}" font-weight="${weight}" paint-order="stroke" stroke="#fff" stroke-width="3">${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function cut(content: string, length: number): string {
  return content.length <= length ? content : `${content.slice(0, length - 1)}…`;
}

export function typeText({ type, reference }: FieldInfo): string {
  return reference === undefined ? type : `→ ${reference.resource}`;
}

/** How Mermaid writes the ends of a line: before it, and behind it. */
const mermaidEnds: Readonly<Record<Cardinality, readonly [string, string]>> = {
  '1': ['||', '||'],
  '0..1': ['|o', 'o|'],
  n: ['}o', 'o{'],
};

/** The diagram as Mermaid writes it. */
export function asMermaid(
  resources: readonly ResourceInfo[],
  edges: readonly SchemaEdge[],
): string {
  const entities = resources.flatMap(({ name, fields }) => [
    `  ${quoted(name)} {`,
    ...fields.map((field) => {
      const key = isKey(field)
        ? ' PK'
        : field.reference !== undefined
          ? ' FK'
          : field.isUnique
            ? ' UK'
            : '';
      return `    ${word(field.type)} ${word(field.name)}${key}`;
    }),
    '  }',
  ]);
  const lines = edges.map(
    ({ source, target, atSource, atTarget, kind, label }) =>
      `  ${quoted(source)} ${mermaidEnds[atSource][0]}${kind === 'key' ? '--' : '..'}${mermaidEnds[atTarget][1]} ${quoted(target)} : ${quoted(label)}`,
  );
  return ['erDiagram', ...entities, ...lines, ''].join('\n');
}

/** The resources as dbdiagram.io reads them. */
export function asDbml(resources: readonly ResourceInfo[], edges: readonly SchemaEdge[]): string {
  const tables = resources.map(({ name, description, fields }) =>
    [
      `Table ${quoted(name)} {`,
      ...fields.map((field) => {
        const settings = [
          ...(isKey(field) ? ['pk'] : []),
          ...(field.isUnique && !isKey(field) ? ['unique'] : []),
          ...(field.isRequired && !isKey(field) ? ['not null'] : []),
          ...(typeof field.description === 'string' ? [`note: ${noted(field.description)}`] : []),
        ];
        return `  ${quoted(field.name)} ${word(field.type)}${settings.length === 0 ? '' : ` [${settings.join(', ')}]`}`;
      }),
      ...(description === null ? [] : [`  Note: ${noted(description)}`]),
      '}',
    ].join('\n'),
  );
  const references = edges.flatMap(({ kind, source, field, target, targetField, atSource }) =>
    kind !== 'key' || field === undefined || targetField === undefined
      ? []
      : [
          `Ref: ${quoted(source)}.${quoted(field)} ${atSource === 'n' ? '>' : '-'} ${quoted(target)}.${quoted(targetField)}`,
        ],
  );
  return [...tables, ...(references.length === 0 ? [] : [references.join('\n')]), ''].join('\n\n');
}

function isKey({ name, type }: FieldInfo): boolean {
  return type === 'id' || name === 'id';
}

/** A name in quotes, which neither format has a way to write within them. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', "'")}"`;
}

function noted(content: string): string {
  return `'${content
    .trim()
    .replaceAll(/\s+/gu, ' ')
    .replaceAll('\\', '')
    .replaceAll("'", String.raw`\'`)}'`;
}

function word(name: string): string {
  return name.replaceAll(/[^\w-]/gu, '_');
}
