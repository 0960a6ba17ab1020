import { test } from "node:test";
import { crashRepeatedly } from "./crash-points.ts";

test("[DL1, DL18, NO14] forty crashes with fifty objects and two contacts", async (t) => {
  t.diagnostic(`${await crashRepeatedly(t, 40)} notifications were delivered twice`);
});
