/**
 * A helper process: it starts programs for the process that started it, over the socket that is its descriptor 3. It
 * is kept small, because starting a program costs time in proportion to the memory of who starts it, and it ends with
 * its parent and leaves no program behind. Its arguments are the beginning of the marks of its programs and, to forbid
 * it the C library, `node`.
 */
import { openProcessLibc } from "../libc/process-libc.ts";
import { runNativeHelper } from "./native-helper.ts";
import { runNodeHelper } from "./node-helper.ts";

const socket = 3;
const [mark = "", way] = process.argv.slice(2);

// A terminal or a service manager signals the whole group; when to end is the parent's decision.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

const libc = way === "node" ? undefined : await openProcessLibc();
if (libc === undefined) runNodeHelper(socket, mark);
else runNativeHelper(libc, socket, mark);
