import fc from "fast-check";

// Generated documents with templates, patterns, references, aliases, imports and comprehensions, some of them invalid.

const pick = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts);
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(""));
const weighted = <T>(...choices: readonly [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));

const label = weighted(
  [30, pick('"web-1"', '"web-2"', '"db-1"', '"db 2"', '"db-3"', '"x/4"', '"lb-5"', '"lb-6"')],
  [8, pick("web1", "web2", "db1", "lb", "a", "b7", '"web1"')],
  [1, pick('"é"', '"e\u0301"', '"hosts"', "hosts", "for", "_h", "#H", '"\\u0061"', '"\\(name)"', "(name)", "1", "a?")],
);
/** Expressions that are mostly valid where a host's field is expected. */
const expression = weighted(
  [30, pick('"10.0.0.1"', '"10.0.0.2"', '"x"', "port", "name", "_x", '"\\(name):\\(port)"', '"\\(name)"')],
  [4, pick("strings.ToUpper(name)", "len(name)", "#Default.address", "*name | string", "[name, port][0]", "each.n")],
  [1, pick("web1.address", "lb.address", "W.address", "V.address", 'hosts["web-1"].address', "hosts.web1.address")],
  [
    1,
    pick(
      "_|_",
      "string",
      "undefined.x",
      '"a" & "b"',
      "1 +\n 2",
      '"""\n  a }\n  """',
      '#"\\#(name) {"#',
      "[if port > 1 {name}]",
    ),
  ],
);
const field = joined(
  pick("address: ", "address: ", "tag: ", "labels: tier: ", 'labels: "a-b": ', "n: {v: ", "let z = "),
  expression,
).map((text) => (text.startsWith("n: {") ? `${text}}` : text.startsWith("let") ? `${text}\n    zz: z` : text));
const body = fc
  .uniqueArray(field, { maxLength: 3, selector: (text) => text.slice(0, 6) })
  .map((fields) => `{\n    ${fields.join("\n    ")}\n  }`);
const value = weighted(
  [20, joined(pick("#Server & ", "#Open & ", "#Open & ", ""), body)],
  [3, pick('#Router & {address: "r"}', "#Server & {}", '#Open & {n: v: "3"}', '{address: "b"}')],
  [5, joined(pick("address: "), expression)],
  [1, pick('X={address: "x", tag: X.address}')],
  [
    1,
    pick("#Server", "#Default", '{#Default, tag: "t"}', "{}", "{} & {}", "close({})", "web1", "lb & {}", "null", '"x"'),
  ],
  [1, joined(pick("{if port > 1 ", '{if name == "n" ', "{for k in [1, 2] "), body, pick("}"))],
);
const comment = pick("", "", "", " // hosts: {", " // a, b");
const entry = weighted(
  [40, fc.tuple(label, value).map(([name, text]) => `${name}: ${text}`)],
  [1, joined(pick("W=", "V="), label, pick(": "), value)],
  [
    1,
    pick(
      '[string]: tag: *"p" | string',
      "[N=string]: key: N",
      '[=~"^web"]: {role: "web"}',
      "...",
      "let each = {n: name}",
    ),
  ],
  [1, pick('for n in ["f-1"] {(n): address: n}', "if port > 1 {cond: {}}", "#Servers", "@x(y)", "{}")],
);
const separator = weighted(
  [40, joined(comment, pick("\n  "))],
  [6, pick(", ", ",\n  ")],
  [1, pick("", " ", ",,", "\n,", "\u00a0\n", "\f\n")],
);
const literal = fc
  .tuple(
    fc.array(fc.tuple(entry, separator), { maxLength: 6 }),
    pick(...Array<string>(20).fill(""), " & {}", " & #Hosts", ' @x("y")', " x"),
  )
  .map(([entries, end]) => `hosts: {\n  ${entries.map((each) => each.join("")).join("")}\n}${end}`);
const chained = fc.tuple(label, value).map(([name, text]) => `hosts: ${name}: ${text}`);
const root = weighted(
  [20, literal],
  [12, chained],
  [4, pick('hosts: [string]: kind: *"h" | string', "hosts: [N=string]: {id: N}", '"hosts": "q-1": {}')],
  [
    1,
    pick("hosts: #Hosts", "hosts: {...}", "H=hosts: {}", "hosts?: {}", "hosts: web1: #Server", "#Doc", "hosts: X={}"),
  ],
  [
    1,
    pick(
      "n: len(hosts)",
      "all: [for k, v in hosts {k}]",
      "[string]: _",
      "if port > 1 {hosts: r: {}}",
      '"\\(name)": {}',
      "{hosts: s: {}}",
    ),
  ],
  [1, pick("let unused = 1", "processes: p: {hosts: [1]}", "x: y: hosts: 3", "z: {web1: 1, w: web1}", "q: lb.address")],
);
const head = fc.tuple(
  pick("", "package sample\n", "package sample\n\n", "// c\npackage sample\n"),
  weighted(
    [16, pick("")],
    [6, pick('import "strings"\nupper: strings.ToUpper(name)\n')],
    [
      1,
      pick(
        'import "strings"\n',
        'import (\n\t"strings"\n\tl "list"\n)\nsorted: l.SortStrings(["b", "a"])\n',
        'import s "strings"\n',
      ),
    ],
  ),
);
const definitions = `
name: "n"
port: *80 | int
_x: "hidden"
let each = {n: name}
each2: each.n
#Server: {address: *"10.1.1.1" | string, tag?: string | int, labels: [string]: string | int, n?: {...}, zz?: _, services: s: check: "\\(address):\\(port)"}
#Open: {address: *"a" | string, ...}
#Router: {
  let here = address
  address: string
  up: "\\(here)!"
}
#Default: address: "d"
#Hosts: [string]: #Open
#Servers: "from-def": #Open
`;

/** Documents of a few roots around the same definitions. */
export const splitDocuments: fc.Arbitrary<string> = fc
  .tuple(
    head,
    fc.array(
      fc.tuple(root, weighted([60, pick("\n", "\n", "\n\n// hosts\n")], [1, pick(", ", " ", ",\n", "\u2028\n")])),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([[clause, imports], roots]) => clause + imports + definitions + roots.map((each) => each.join("")).join(""));

const texts = pick(
  "",
  "a",
  "b",
  "ab",
  "ba",
  "a-b",
  "10.0.0.1",
  "web",
  "é <&>",
  "\\u0061",
  "\\n",
  "h-1",
  "h-2",
  "on",
  "n",
  "x",
  "aa",
);
const literalText = texts.map((text) => `"${text}"`);
const shapedField = weighted(
  [30, joined(pick("address: ", "tag: ", "n: v: ", "kind: "), literalText)],
  [4, joined(pick("list: ["), literalText, pick(", "), literalText, pick("]"))],
  [
    4,
    pick(
      'up: "\\(address)!"',
      'both: "\\(address)\\(tag)"',
      "up: address",
      "list: [address, tag]",
      "port: 80",
      "port: 90",
    ),
  ],
  [
    2,
    pick(
      'if address == "a" {yes: 1}',
      "for k in [tag] {(k): 1}",
      "len: len(address)",
      'kind: =~"^a"',
      'kind: !="ab"',
      "up: address + tag",
    ),
  ],
  [2, joined(pick("kind: "), literalText, pick(" | "), literalText)],
  [
    1,
    joined(pick("let string = ", "string: ", '"\\(address)": ', "(address): ", "list: [if true {"), literalText).map(
      (text) => (text.includes("list") ? `${text}}]` : text),
    ),
  ],
);
const shapedValue = fc
  .tuple(
    pick("#T & ", "#T & ", "#T & ", "#O & ", ""),
    fc.tuple(literalText, literalText).map(([address, tag]) => [`address: ${address}`, `tag: ${tag}`]),
    fc.uniqueArray(shapedField, { maxLength: 2, selector: (text) => text.slice(0, 3) }),
  )
  .map(
    ([start, both, fields]) =>
      `${start}{${[...both, ...fields.filter((text) => !/^(address|tag):/.test(text))].join(", ")}}`,
  );
const shapedHost = fc.tuple(pick("h-1", "h-2", "h-3", "h-4", "h-5", "a", "ab", "web"), shapedValue);
/** Templates that copy, join, compare and test the texts of hosts. */
const template = joined(
  weighted(
    [6, pick('address: string | *"a"')],
    [3, pick("address: string", 'address: "a" | "b" | string', 'address: *"ab" | string')],
    [
      1,
      pick(
        'address: !="ab"',
        'address: =~"^[a1]"',
        "address: string, if address == tag {same: true}",
        '({address: "a", r: 1} | {address: string, r: 2})',
        '{address: "a", r: 1} | *{address: string, r: 2}',
      ),
    ],
  ),
  pick("\n  "),
  pick(
    'tag: string | *"t"',
    "tag: *address | string",
    "tag: string",
    'tag: "\\(address)"',
    'tag: string | *"x", both2: "\\(tag)\\(address)"',
  ),
  pick("\n  "),
  pick(
    "",
    "",
    'joined: "\\(address)-\\(tag)"',
    'joined: "\\(address)\\(tag)" & string',
    'joined: !="aa" & "\\(address)\\(tag)"',
    'joined: "\\(address)a" & (*"aa" | string)',
    "joined: #Table[tag]",
    'joined: ({k: "\\(address)", r: 1} | {k: string, r: 2}) & {k: tag}',
    "joined: len(address)",
    'joined: (*{k: "\\(address)\\(tag)", r: 1} | {k: string, r: 2}) & {k: kind}',
    'joined: (*{k: "\\(address)\\(tag)", r: 1} | {k: string, r: 2}) & {k: kind}',
    "joined: or([address, tag])",
    'joined: "\\(len(address))"',
    "joined: '\\(address)'",
    "joined: {[address]: 1, ab: _}",
    "joined: {[string]: address, ab: _}",
    "joined: close({a: address})",
  ),
);
const pattern = weighted(
  [6, pick("")],
  [
    3,
    pick(
      "hosts: [string]: {p: *1 | int, ...}",
      "hosts: [N=string]: {name: N, ...}",
      'hosts: [N=string]: {id: "\\(N)/\\(port)", ...}',
      'hosts: [=~"^h"]: {h: 1, ...}',
      'hosts: [!="h-1"]: {h: 1, ...}',
      'hosts: "h-1": {...}',
      "other: [if port > 1 {1}]",
      'other: "web h-2 ab"',
    ),
  ],
);

/** Documents with many hosts of equal sources but for their texts. */
export const shapedDocuments: fc.Arbitrary<string> = fc
  .tuple(
    template,
    pattern,
    fc.uniqueArray(shapedHost, { minLength: 2, maxLength: 6, selector: ([name]) => name }),
    fc.boolean(),
  )
  .map(([fields, more, hosts, repeats]) => {
    const first = hosts[0]?.[1] ?? "{}";
    const lines = hosts.map(
      ([name, value]) => `"${name}": ${repeats ? first.replace(/"10.0.0.1"|"ab"/, `"${name}-x"`) : value}`,
    );
    return `port: 80\n#Table: {a: 1, b: 2, [string]: int}\n#T: {\n  kind: *"k" | string\n  ${fields}\n  ...\n}\n#O: {address?: _, tag?: _, ...}\n${more}\nhosts: {\n  ${lines.join("\n  ")}\n}\n`;
  });
