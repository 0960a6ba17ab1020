import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { read, root } from "../architecture/sources.ts";
import { tempFolder } from "../run/processes.ts";
import { isShown, readSteps, type TutorialStep } from "./tutorial-steps.ts";

const marker = "realmwatch-tutorial-step-ended-with";

/** Replaces each port of the loopback address in a page by a free one, so that tutorials run beside other programs. */
async function withFreePorts(page: string): Promise<string> {
  let text = page;
  for (const port of new Set([...page.matchAll(/127\.0\.0\.1:(\d{4,5})\b/g)].map(([, number]) => number as string)))
    text = text.replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(await freePort()));
  return text;
}

/** Lines by which bash tells of a program in the background that was killed, at any time after that. */
const jobNotices = /^bash: line \d+: +\d+ (?:Killed|Terminated) .*\n/gm;

/** Shell that a reader types into: bash at the checkout's top folder, with an empty home. */
function openTerminal(scope: TestScope, home: string, prelude: string) {
  const { PATH, LANG } = process.env;
  const child = spawn("bash", ["--norc"], {
    cwd: root,
    env: { PATH, LANG, HOME: home, USER: "ann", LOGNAME: "ann", NO_COLOR: "1", COLUMNS: "200", TZ: "UTC" },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data;
    });
  atEnd(scope, () => {
    for (const stream of child.stdio) stream?.destroy();
    try {
      process.kill(-(child.pid ?? 0), "SIGKILL");
    } catch {
      // The tutorial has stopped all that it started.
    }
  });
  child.stdin.write(`exec 2>&1\n${prelude}\n`);

  /** Runs commands to their end. Resolves to their exit code and their output; an ended shell is a failure. */
  return async function run(text: string, isSubshell: boolean): Promise<{ code: number; output: string }> {
    output = "";
    // In the reader's own shell a failure ends the shell, in a subshell it is the exit code.
    const body = isSubshell ? `(set -e\n${text}\n) </dev/null` : `set -e\n{\n${text}\n} </dev/null\nset +e`;
    child.stdin.write(`${body}\nprintf '${marker} %d\\n' $?\n`);
    const end = new RegExp(`${marker} (\\d+)\\n`);
    const found = await until("the end of the commands", () => end.exec(output), {
      stopWhen: () => child.exitCode !== null || child.signalCode !== null,
      seen: () => `${text}\n${output}`,
    });
    return { code: Number(found[1]), output: output.slice(0, found.index).replace(jobNotices, "") };
  };
}

/**
 * Follows a tutorial word by word in a clean home: saves its files in the folder that its commands have changed to, runs
 * its commands, and compares what they print with what the page shows.
 */
export async function followTutorial(scope: TestScope, page: string, prelude = ""): Promise<void> {
  builtProgram("agent");
  const steps = readSteps(await withFreePorts(read(page).text));
  const run = openTerminal(scope, tempFolder(scope, "tutorial"), prelude);
  let folder = root;
  for (const step of steps)
    if (step.kind === "file") saveFile(join(folder, step.name), step.text);
    else {
      await runCommands(step, run).catch((error: Error) => {
        throw new Error(`${page}:${step.line}: ${error.message}\n${logsIn(folder)}`);
      });
      folder = (await run("pwd", false)).output.trim();
    }
}

/** Ends of the log files in a folder, which say why a program of a tutorial failed. */
const logsIn = (folder: string): string =>
  globSync("*.log", { cwd: folder })
    .map((name) => `${name}:\n${readFileSync(join(folder, name), "utf8").slice(-800)}`)
    .join("\n");

function saveFile(path: string, text: string): void {
  assert.ok(!path.startsWith(`${root}/`), `${path}: a tutorial writes no file into the checkout`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

type Run = ReturnType<typeof openTerminal>;

async function runCommands(step: TutorialStep & { kind: "commands" }, run: Run): Promise<void> {
  const { text, mode, expected } = step;
  if (mode === "repeat") {
    let last = "";
    await until(
      "the output that the page shows",
      async () => {
        last = (await run(text, true)).output;
        return isShown(last, expected);
      },
      { withinMs: 45_000, everyMs: 1_500, seen: () => `${last}\nthe page has:\n${expected}` },
    );
    return;
  }
  const { code, output } = await run(text, mode === "fails");
  assert.equal(code !== 0, mode === "fails", `it ended with ${code}:\n${output}`);
  assert.ok(isShown(output, expected), `it printed:\n${output}\nthe page has:\n${expected}`);
}
