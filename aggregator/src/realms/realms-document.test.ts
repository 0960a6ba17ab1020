import assert from "node:assert/strict";
import { test } from "node:test";
import { compileRealmsDocument } from "./realms-document.ts";

const compiled = (json: unknown) => {
  const result = compileRealmsDocument(json);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value;
};

test("an empty realm has the documented defaults", () => {
  assert.deepEqual(
    [...compiled({ realms: { fra: {} } })],
    [
      [
        "fra",
        { name: "fra", url: "", token: { kind: "none" }, unreachableAfterMs: 15_000, description: "", labels: {} },
      ],
    ],
  );
});

test("all fields are compiled, in the document's order", () => {
  const realms = compiled({
    realms: {
      zrh: { url: "https://zrh.example/mon/", token_env: "ZRH_TOKEN", unreachable_after: "1m" },
      ams: { token_file: "/run/secrets/ams", description: "Amsterdam", labels: { continent: "eu" } },
    },
  });
  assert.deepEqual([...realms.keys()], ["zrh", "ams"]);
  const [zrh, ams] = [realms.get("zrh"), realms.get("ams")];
  assert.deepEqual(
    [zrh?.url, zrh?.token, zrh?.unreachableAfterMs],
    ["https://zrh.example/mon", { kind: "env", name: "ZRH_TOKEN" }, 60_000],
  );
  assert.deepEqual(
    [ams?.token, ams?.description, ams?.labels],
    [{ kind: "file", path: "/run/secrets/ams" }, "Amsterdam", { continent: "eu" }],
  );
});

const bad: readonly [name: string, json: unknown, path: string, message: RegExp, at: "value" | "struct"][] = [
  ["no realms", {}, "", /realms is missing/, "struct"],
  ["an empty map", { realms: {} }, "realms", /at least one/, "value"],
  ["a list", { realms: [] }, "realms", /must be a struct/, "value"],
  ["a field beside realms", { realms: { a: {} }, more: 1 }, "more", /more is not a known field/, "value"],
  [
    "an unknown field",
    { realms: { a: { ur: "x" } } },
    "realms.a.ur",
    /realm "a": ur is not a known field; the nearest one is "url"/,
    "value",
  ],
  ["a bad name", { realms: { Fra: {} } }, "realms.Fra", /name/, "value"],
  ["a name with a line end", { realms: { "fra\n": {} } }, "realms.fra\n", /name/, "value"],
  ["a text in place of a URL", { realms: { a: { url: "fra:8080" } } }, "realms.a.url", /not an http/, "value"],
  ["a URL with a password", { realms: { a: { url: "http://u:p@fra" } } }, "realms.a.url", /token_env/, "value"],
  ["a URL with a query", { realms: { a: { url: "http://fra?x" } } }, "realms.a.url", /query/, "value"],
  [
    "both token fields",
    { realms: { a: { token_env: "A", token_file: "b" } } },
    "realms.a.token_file",
    /exclude/,
    "value",
  ],
  ["a bad variable", { realms: { a: { token_env: "A B" } } }, "realms.a.token_env", /environment/, "value"],
  ["a bare number", { realms: { a: { unreachable_after: "15" } } }, "realms.a.unreachable_after", /duration/, "value"],
  [
    "no silence at all",
    { realms: { a: { unreachable_after: "0s" } } },
    "realms.a.unreachable_after",
    /more than 0s/,
    "value",
  ],
  ["a number for text", { realms: { a: { description: 5 } } }, "realms.a.description", /must be a string/, "value"],
  [
    "a bad label key",
    { realms: { a: { labels: { DC: "x" } } } },
    "realms.a.labels.DC",
    /name that does not match/,
    "value",
  ],
  ["a bad label value", { realms: { a: { labels: { dc: "a b" } } } }, "realms.a.labels.dc", /must match/, "value"],
];
for (const [name, json, path, message, at] of bad)
  test(`${name} is refused with its path`, () => {
    const result = compileRealmsDocument(json);
    assert.ok(!result.ok);
    assert.equal(result.error.length, 1, JSON.stringify(result.error));
    assert.equal(result.error[0]?.path.join("."), path);
    assert.match(result.error[0]?.message ?? "", message);
    assert.equal(result.error[0]?.at, at);
  });

test("all problems are reported at once", () => {
  const both = { token_env: "A", token_file: "b" };
  const result = compileRealmsDocument({
    realms: { a: { url: "https://u:s3cr3t@fra", unreachable_after: "5", ...both }, B: {}, c: { d: 1 } },
    realm: {},
  });
  assert.deepEqual(!result.ok && result.error.map(({ message }) => message), [
    'realm "a": url must not hold credentials: the token belongs into token_env or token_file',
    'realm "a": unreachable_after is not a duration: write numbers with units, such as 300ms, 60s or 1h30m; got "5"',
    'realm "B" has a name that does not match ^[a-z][a-z0-9-]{0,62}$',
    'realm "c": d is not a known field',
    'realm is not a known field; the nearest one is "realms"',
    'realm "a": token_file and token_env exclude each other',
  ]);
});
