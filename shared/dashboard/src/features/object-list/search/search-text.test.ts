import assert from "node:assert/strict";
import { test } from "node:test";
import { isIncomplete, parseSearchText } from "./search-text.ts";

test("the search field tells selectors from text", () => {
  for (const selector of ["role=db", "role!=db", "role in (db,web)", "role notin (db)", "!rack", "@kind=host", "@host"])
    assert.deepEqual(parseSearchText(` ${selector} `), { selector });
  assert.deepEqual(parseSearchText("has:rack"), { selector: "rack" });
  for (const search of ["", "web1", "disk full", "has:", "has:two words", "in (progress)"])
    assert.deepEqual(parseSearchText(search), { search });
});

for (const text of [
  "rack=",
  "rack!=",
  "rack in (",
  "rack in (r1,",
  "rack in (r1",
  "rack=r1,",
  "!",
  "@",
  "@rea",
  "a=b,@st",
])
  test(`"${text}" is not complete`, () => assert.equal(isIncomplete(text), true));

for (const text of ["", "disk", "rack=r1", "rack in (r1)", "@realm=a", "has:rack", "!rack", "a=b,c"])
  test(`"${text}" is complete`, () => assert.equal(isIncomplete(text), false));
