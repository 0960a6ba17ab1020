/**
 * Helper process that starts programs for its parent, over the socket that is its descriptor 3. It is kept small,
 * because the time to start a program grows with the memory of the starting process. Exits with its parent and leaves
 * no program behind. Arguments: the beginning of the marks of its programs and, to use child_process instead of the C
 * library, `node`.
 */
import { type Libc, openLibc } from "../libc/libc.ts";
import { runNativeHelper } from "./native-helper.ts";
import { runNodeHelper } from "./node-helper.ts";

const socketFd = 3;
const [markPrefix = "", implementation] = process.argv.slice(2);

// A terminal or a service manager signals the whole process group; the parent decides when this process exits.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const libc = implementation === "node" ? undefined : openLibc();
if (libc !== undefined && hasProcessDescriptors(libc)) runNativeHelper(libc, socketFd, markPrefix);
else runNodeHelper(socketFd, markPrefix);

/** True with pidfd_open(2): not before Linux 5.3, nor in a sandbox that forbids it. */
function hasProcessDescriptors(libc: Libc): boolean {
  const own = libc.openProcess(process.pid);
  if (own < 0) return false;
  libc.close(own);
  return true;
}
