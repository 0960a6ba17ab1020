import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { whyNoTestNetwork } from "./test-network.ts";

test("[FD2, FD25, FD27, FE3] partitions in a network without any sign of them: nothing is current that is not, and commands are executed once or not at all", {
  skip: whyNoTestNetwork(),
}, async (t) => {
  const node = [process.execPath, "--disable-warning=ExperimentalWarning"];
  const { stdout } = await promisify(execFile)("unshare", [
    "-n",
    ...node,
    join(import.meta.dirname, "partitions.child.ts"),
  ]);
  t.diagnostic(stdout);
});
