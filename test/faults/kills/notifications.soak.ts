import { test } from "node:test";
import { crashRepeatedly } from "./crash-points.ts";

test("[I3, I4, I5] F01, F07 forty crashes with fifty objects and two contacts", async (t) => {
  t.diagnostic(`${await crashRepeatedly(t, 40)} messages came twice`);
});
