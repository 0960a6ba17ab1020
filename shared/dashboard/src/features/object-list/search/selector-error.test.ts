import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSelectorError } from "./selector-error.ts";

test("the position in a refused selector is that in the search field, also after the selector of a view", () => {
  const message = 'selector: expected a label\'s key, found "!", at character 9';
  assert.deepEqual(parseSelectorError(message, "tier=web,!!x", "!!x"), {
    message: 'expected a label\'s key, found "!"',
    position: 0,
  });
  assert.equal(parseSelectorError(message, "tier=web,!!x", "tier=web,!!x").position, 9);
});

test("an error in the view's own selector, or without a position, has none", () => {
  assert.equal(parseSelectorError("selector: odd, at character 2", "tier=web,a=b", "a=b").position, undefined);
  assert.deepEqual(parseSelectorError("too long", "a", "a"), { message: "too long", position: undefined });
});
