import { describe, expect, test } from 'vitest';
import { expectProblems, fields, good, load, problemsIn, withFields } from './problems.ts';

describe('files that are no specification', () => {
  expectProblems([
    ['empty', '', '1:1 : the file is empty; it needs at least `resources`'],
    ['comments only', '# a\n', '1:1 : the file is empty; it needs at least `resources`'],
    ['null', 'null', '1:1 : the file is empty; it needs at least `resources`'],
    ['text', 'hello', '1:1 : the file must be a map with the key `resources`, not `hello`'],
    ['a list', '- a', '1:1 : the file must be a map with the key `resources`, not a list'],
    [
      'no resources',
      'name: x',
      '1:1 : the file needs `resources`: a map of resource name to definition, such as { posts: { fields: … } }',
    ],
    [
      'resources that say nothing',
      'name: x\nresources:',
      '2:1 resources: `resources` must be a map of resource name to definition, such as { posts: { fields: … } }, but it is empty',
    ],
    [
      'no resource',
      'resources: {}',
      '1:1 resources: `resources` must be a map of resource name to definition, such as { posts: { fields: … } }, not an empty map; it needs at least one entry',
    ],
    [
      'several documents',
      `${good}\n---\nname: x`,
      '3:1 : the file holds more than one YAML document; leave out the `---` and what follows it',
    ],
    ['one document with a marker', `---\n${good}\n...\n`],
    [
      'another version of YAML',
      `%YAML 1.1\n---\n${good}`,
      '1:1 : a `%YAML` line is not supported; leave it out, the file is read as YAML 1.2',
    ],
  ]);
});

describe('faults in the syntax', () => {
  expectProblems([
    [
      'conflict of a merge',
      'a:\n<<<<<<< HEAD\n  b: 1\n=======\n  b: 2\n>>>>>>> other\n',
      '2:1 : a merge has left a conflict here; keep one of its sides, and take out the lines with `<<<<<<<`, `=======` and `>>>>>>>`',
    ],
    ['tab', 'a:\n\tb: 1', '2:1 : a tab is used to indent; YAML is indented with blanks only'],
    [
      'tabs in a row, and apart',
      'a:\n\tb: 1\n\tc: 2\nd: 3\ne:\n\tf: 4',
      '2:1 : a tab is used to indent; YAML is indented with blanks only',
      '6:1 : a tab is used to indent; YAML is indented with blanks only',
    ],
    [
      'tab, from which the lines behind it follow',
      'a:\n  b: 1\n\tc: 2\n  d: { e: 1 }\n  f:\n    g: 1\nh: 1',
      '3:1 : a tab is used to indent; YAML is indented with blanks only',
    ],
    ['quote not closed', 'name: "x\ny: 1', '1:7 : this text in quotes has no closing quote'],
    [
      'quote not closed before others that are',
      "a: 'b'\nc: { d: 'e', f: 'g }\nh: 1\n",
      '2:17 : this text in quotes has no closing quote',
    ],
    [
      'bracket not closed',
      'a: [b, c',
      '1:4 : this `[` is not closed with `]`, or a line of its list is not indented enough',
    ],
    [
      'brace not closed',
      'a: { b: 1\nc: 2',
      '1:4 : this `{` is not closed with `}`, or a line of its map is not indented enough',
    ],
    [
      'brace not closed behind others that are',
      'a:\n  "{": "[" # {\n  k: x{y\n  b: { c: { d: "}" }, e: 1\n  f: { g: 1 }\n',
      '4:6 : this `{` is not closed with `}`, or a line of its map is not indented enough',
    ],
    ['brace not closed in JSON', '{"a": 1', '1:1 : this `{` is not closed with `}`'],
    [
      'comma missing',
      'a: { b: 1 c: 2 }',
      '1:9 : inside `{ }` and `[ ]` the items are separated by commas; a comma or a closing bracket is missing',
    ],
    [
      'colon missing',
      'resources:\n  posts\n  tags: {}',
      '2:3 : this line is not `key: value` (a `:` needs a blank behind it)',
    ],
    [
      'indented differently',
      'a:\n   b: 1\n  c: 2',
      '3:1 : this line is not indented like the others of its map or list',
    ],
    [
      'indented less in the midst, from which the lines behind it follow',
      'a:\n    b: 1\n   c: 2\n    d: 3\n    # then\n    e:\n      f: 1\ng: 1',
      '3:1 : this line is not indented like the others of its map or list',
    ],
    [
      'indented differently in two places',
      'a:\n  b:\n    c: 1\n   d: 2\ne:\n  f: { g: 1 }\n   h: 2',
      '4:1 : this line is not indented like the others of its map or list',
      '7:1 : this line is not indented like the others of its map or list',
    ],
    [
      'indented below a value',
      'a:\n b: 1\n  c: 2',
      '2:5 : a value is followed by another `key:`; check the indentation, or put text that holds `: ` in quotes',
    ],
    [
      'colon in text',
      'description: a: b',
      '1:14 : a value is followed by another `key:`; check the indentation, or put text that holds `: ` in quotes',
    ],
    ['reserved character', 'name: @x', '1:7 : a value cannot begin with `@`; put it in quotes'],
    [
      'wildcard',
      'a: *',
      '1:4 : a name is missing after `&` or `*`; put the text in quotes if it is text',
    ],
    [
      'text after quotes',
      "name: 'it's'",
      '1:11 : the text in quotes ends before this; text that holds such quotes has to stand in those of the other kind',
    ],
    [
      'text behind a bracket',
      'a: { pattern: [A-Z]+ }\nb: {x} y',
      '1:20 : the bracket is closed before this; text that begins with a bracket has to stand in quotes',
      '2:8 : the bracket is closed before this; text that begins with a bracket has to stand in quotes',
    ],
    [
      'brackets in text',
      'a: { b: text[] }\nc: { d: ^x{2}$ }',
      '1:13 : text that holds brackets has to stand in quotes inside `{ }` and `[ ]`',
    ],
    ['comma too many', 'a: { b: 1,, c: 2 }', '1:11 : there is a comma too many'],
    ['two anchors', 'a: &b &c 1', '1:7 : a value can have one anchor (`&name`) only'],
    [
      'no comment',
      'a: "b"#c',
      '1:7 : a `#` begins a comment only after a blank; put text that holds it in quotes',
    ],
    ['bracket too many', 'a: ]', '1:4 : a bracket is closed here that was not opened'],
    [
      'escape',
      String.raw`name: "\q"`,
      '1:8 : no such escape in double quotes; write a backslash as `\\\\`',
    ],
    [
      'variable in braces',
      'server: { port: ${PORT} }',
      '1:18 : inside `{ }` and `[ ]` a variable has to stand in quotes: "${PORT}"',
    ],
    [
      'several faults',
      'name: @x\ndescription: `y',
      '1:7 : a value cannot begin with `@`; put it in quotes',
      '2:14 : a value cannot begin with a backtick; put it in quotes',
    ],
    [
      'nested too deep',
      `${good}\nx: ${'['.repeat(120)}${']'.repeat(120)}`,
      '2:1 x: unknown key `x`',
      `2:104 x${'[0]'.repeat(100)}: the file is nested deeper than 100 levels`,
    ],
  ]);
});

test('a file that is nested far too deep is one problem', () => {
  const { problems } = load(`a: ${'['.repeat(5000)}${']'.repeat(5000)}`);
  expect(problems.map(({ message }) => message)).toEqual(['the file is nested too deep']);
});

describe('keys', () => {
  expectProblems([
    [
      'twice',
      withFields('a: { type: string }', 'a: { type: text }'),
      `5:7 ${fields}.a: duplicate key \`a\` (first on line 4)`,
    ],
    [
      'twice, as a number and as text',
      `${good}\napi: { versions: { 1: {}, "1": {} } }`,
      '2:27 api.versions.1: duplicate key `1` (first on line 2)',
    ],
    ['numbers for versions', `${good}\napi: { versions: { 1: {}, 2: {} } }`],
    [
      'a boolean',
      withFields('true: { type: string }'),
      `4:7 ${fields}: \`true\` is not text to YAML; put it in quotes to use it as a key`,
    ],
    ['a boolean in quotes', withFields('"true": { type: string }')],
    [
      'null',
      withFields('null: { type: string }'),
      `4:7 ${fields}: \`null\` is not text to YAML; put it in quotes to use it as a key`,
    ],
    ['none', withFields(': { type: string }'), `4:7 ${fields}: a key is missing before the \`:\``],
    [
      'a list',
      withFields('? [a]', ': b'),
      `4:9 ${fields}: a key has to be text, not a list or map`,
    ],
    [
      'a number as a field',
      withFields('1: { type: string }'),
      `4:7 ${fields}.1: \`1\` cannot be a field's name; it takes letters from a to z, digits and \`_\`, and begins with a letter`,
    ],
    [
      'names that objects inherit',
      withFields('constructor: { type: string }', 'toString: { type: text }'),
      `warning 4:7 ${fields}.constructor: \`constructor\` is a name that every object of JavaScript has: some tools that read the OpenAPI document fail on such a field`,
      `warning 5:7 ${fields}.toString: \`toString\` is a name that every object of JavaScript has: some tools that read the OpenAPI document fail on such a field`,
    ],
    [
      'attributes that objects inherit',
      withFields('a: { type: string, constructor: 1, __proto__: {} }'),
      `4:26 ${fields}.a.constructor: unknown key \`constructor\``,
      `4:42 ${fields}.a.__proto__: unknown key \`__proto__\``,
    ],
    [
      'variables are not replaced',
      withFields('"${PORT}": { type: string }'),
      `4:7 ${fields}["\${PORT}"]: \`\${PORT}\` cannot be a field's name; it takes letters from a to z, digits and \`_\`, and begins with a letter`,
    ],
  ]);
});

describe('anchors, aliases, merges and tags', () => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    .concat(
      [1, 2, 3, 4, 5, 6, 7, 8].map(
        (n) =>
          `a${n}: &a${n} [${Array(10)
            .fill(`*a${n - 1}`)
            .join(', ')}]`,
      ),
    )
    .join('\n');
  expectProblems([
    ['an alias', withFields('a: &text { type: string }', 'b: *text')],
    ['a merge', withFields('a: &text { type: string }', 'b: { <<: *text, maxLength: 3 }')],
    [
      'a merge of a list',
      withFields('a: &a { type: string }', 'b: { <<: [*a, { maxLength: 3 }] }'),
    ],
    [
      'a merge of text',
      withFields('a: { type: string, <<: b }'),
      `4:30 ${fields}.a.<<: \`<<\` takes in a map or a list of maps, such as \`<<: *base\``.replace(
        '.<<',
        '["<<"]',
      ),
    ],
    [
      'an alias without anchor',
      withFields('a: *b'),
      `4:10 ${fields}.a: \`*b\` has no \`&b\` before it`,
    ],
    [
      'an alias before its anchor',
      withFields('a: *b', 'b: &b { type: string }'),
      `4:10 ${fields}.a: \`*b\` has no \`&b\` before it`,
    ],
    [
      'an alias inside its anchor',
      withFields('a: &a { type: object, properties: { b: *a } }'),
      `4:46 ${fields}.a.properties.b: \`*a\` stands inside \`&a\` itself; an alias cannot hold itself`,
    ],
    [
      'a tag',
      withFields('a: { type: string, default: !!binary aGk= }'),
      `4:44 ${fields}.a.default: tags such as \`!!binary\` are not supported; leave the tag out`,
    ],
    [
      'a tag of the user',
      withFields('a: !field { type: string }'),
      `4:17 ${fields}.a: tags such as \`!!set\` are not supported; leave the tag out`,
    ],
    ['tags of YAML that change nothing', withFields('a: !!map { type: !!str string }')],
  ]);

  test('aliases that blow up', () => {
    const problems = problemsIn(`${good}\n${bomb}`);
    expect(problems.filter((line) => !line.includes('unknown key'))).toEqual([
      '6:45 a4[7]: the aliases blow the file up to more than 100000 values',
    ]);
  });

  test('a merge gives what it brings in, in its place, and own attributes win', () => {
    const { specification } = load(
      withFields(
        'a: &a { type: string, maxLength: 3 }',
        'b: { <<: *a, maxLength: 5, required: true }',
      ),
    );
    expect(specification?.resources['posts']?.fields['b']).toEqual({
      type: 'string',
      maxLength: 5,
      required: true,
    });
  });
});

describe('JSON', () => {
  test('is read by the same parser, tabs included', () => {
    const text =
      '{\n\t"$schema": "x",\n\t"resources": {\n\t\t"posts": {"fields": {"a": {"type": "strng"}}}\n\t},\n\t"server": {"port": "${PORT}"}\n}';
    expect(problemsIn(text, 'plinth.json')).toEqual([
      `4:38 ${fields}.a.type: unknown type \`strng\`; did you mean \`string\`?`,
    ]);
    const { specification } = load(text.replace('strng', 'string'));
    expect(specification).toEqual({
      resources: { posts: { fields: { a: { type: 'string' } } } },
      server: { port: 8080 },
    });
  });

  test('a byte order mark and Windows lines change nothing', () => {
    expect(
      problemsIn(`\uFEFF${withFields('a: { type: strng }').replaceAll('\n', '\r\n')}`),
    ).toEqual([`4:18 ${fields}.a.type: unknown type \`strng\`; did you mean \`string\`?`]);
  });
});

test('the order of the file is kept', () => {
  const { specification } = load(
    withFields('z: { type: string }', 'a: { type: string }', 'm: { type: string }'),
  );
  expect(Object.keys(specification?.resources['posts']?.fields ?? {})).toEqual(['z', 'a', 'm']);
});
