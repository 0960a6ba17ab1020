import { test } from "node:test";
import { killOver } from "./crashes.ts";

test("[I3, I4, I5] F01, F07 forty crashes with fifty objects and two contacts", (t) => killOver(t, 40));
